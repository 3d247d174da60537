// A document that no crawl brought, on its way into the store: a line of JSON, or a local file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "base/result.h"
#include "crawl/url_identity.h"
#include "model/frontier.h"

namespace quarry::work {

// A longer document is refused, so that one alone cannot fill the memory.
inline constexpr std::uint64_t longest_document_bytes = 64u << 20;

struct ImportDocument {
    std::string url{};  // what it is known by: a URL, an id as it stands, or file:///absolute/path
    std::string id{};   // what search calls it; "" if that is the URL
    std::string title{};
    std::string markdown{};
    std::string language{};
    std::string content_type{};
    std::string etag{};           // of a file: changes whenever its bytes may have
    std::string last_modified{};  // of a file: ISO 8601
    int status = 0;               // of a page that was fetched: its URL has the key that crawls give it
    std::int64_t body_bytes = 0;
    boost::json::object metadata{};  // kept with the words
};

// 128 bits of the text as it stands: nothing is folded, so that two documents never become one.
using crawl::document_key;

// A page as the method `write_pages` takes it, and back. The words may be in a file of their own, named by
// "markdown_file": see import_writer.h.
boost::json::object to_json(const ImportDocument& document);
Result<ImportDocument> parse_import_document(const boost::json::value& page);

// "file:///home/a/100%25%20sure.md": any path, and back again to the same bytes. Nothing for other URLs.
std::string file_url(std::string_view absolute_path);
std::optional<std::string> path_of_file_url(std::string_view url);

}  // namespace quarry::work
