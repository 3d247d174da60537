// Names of points. Qdrant knows numbers and UUIDs only, and writing a point again must find the old one: so
// an id is the beginning of the SHA-256 of what identifies the point.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/model_ids.h"

namespace quarry::index {

// "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
std::string point_id(std::string_view identifier);

std::string chunk_point(const std::string& collection, PageId page, std::int64_t generation, int index);
std::string page_point(const std::string& collection, PageId page);
std::string collection_point(const std::string& collection);

// The collection's name in Qdrant: bytes that it or a URL might not take are written as ~hh.
std::string qdrant_name(std::string_view prefix, std::string_view collection);
// Back again; "" if Qdrant's collection is not one of ours.
std::string collection_of(std::string_view prefix, std::string_view qdrant_name);

}  // namespace quarry::index
