// A document that no crawl brought, on its way into the store, and ImportSource, which hands such documents
// over one after the other.
// JSON lines are the form of retrieval collections: {"_id": "7", "title": "…", "text": "…"}. Such a file
// may be larger than the memory: one line is held at a time. Local files are in files.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "base/result.h"
#include "crawl/url_identity.h"
#include "model/frontier.h"

namespace quarry::work {

// A document that no crawl brought, on its way into the store: a line of JSON, or a local file.

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

// Where documents to import come from: one after the other, each as it is asked for.

class ImportSource {
public:
    virtual ~ImportSource() = default;

    // Nothing at the end. An error is about one document, named in it; the others follow.
    virtual std::optional<Result<ImportDocument>> next() = 0;
};

// Documents as JSON lines, the form of retrieval collections: {"_id": "7", "title": "…", "text": "…"}. A file
// may be larger than the memory: one line is held at a time.

// Cuts what a descriptor gives into lines.
class LineReader {
public:
    explicit LineReader(int descriptor, std::size_t longest_line = longest_document_bytes)
        : descriptor_(descriptor), longest_line_(longest_line) {}

    // The next line without its end, valid until the next call; nothing at the end of the file. A line that
    // is too long is skipped whole and reported as `too_large`; after `unavailable` (the file cannot be read)
    // there is no next one.
    Result<std::optional<std::string_view>> next();

    std::int64_t number() const { return number_; }  // of the line given last; the first is 1

private:
    // False at the end of the file.
    Result<bool> read_more();
    Result<std::optional<std::string_view>> skip_line();

    int descriptor_;
    std::size_t longest_line_;
    std::string buffer_;
    std::size_t start_ = 0, end_ = 0;  // what of the buffer is read and not given yet
    std::int64_t number_ = 0;
    bool is_at_end_ = false;
};

// Reads "_id" or "url" ("id" as well; a number will do), "title", "text" or "markdown", "language" and
// "metadata"; other fields are ignored. A title alone counts as words. Errors are phrases to follow "line 7":
// "is no JSON object: …", "has no words", "has neither \"_id\" nor \"url\"".
Result<ImportDocument> parse_document_line(std::string_view line);

// All documents of a JSON lines file; of standard input for "-". `not_found` if it is not there.
Result<std::unique_ptr<ImportSource>> open_lines(const std::string& path);

}  // namespace quarry::work
