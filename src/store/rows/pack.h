// The parts of a page as they are kept: each compressed for itself, so that one can be read without the
// others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/stored_page.h"

namespace quarry::store {

// Fails with `too_large`.
Result<PackedContent> pack(const Content& content);
// The way back. Fails with `corrupt`.
Result<Content> unpack(const PackedContent& packed);

// What decides whether a page has changed: its title and its words.
std::uint64_t content_hash(std::string_view title, std::string_view markdown);

}  // namespace quarry::store
