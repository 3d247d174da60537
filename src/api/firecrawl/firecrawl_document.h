// A stored page as Firecrawl's clients know it.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "model/formats.h"
#include "model/stored_page.h"

namespace quarry::api {

// How pictures of the page are given.
struct MediaLinks {
    std::string origin{};    // of their addresses: "http://127.0.0.1:3002"
    std::string_view media{};  // as they are stored: then they are written into the document itself
};

// With the formats that were asked for, as far as the page was stored with them, and its metadata. The page
// has been read with its content.
boost::json::object firecrawl_document(const StoredPage& page, const Formats& formats,
                                       const MediaLinks& links = {});

}  // namespace quarry::api
