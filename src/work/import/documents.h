// Documents as JSON lines, the form of retrieval collections: {"_id": "7", "title": "…", "text": "…"}. A file
// may be larger than the memory: one line is held at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "work/import/import_document.h"
#include "work/import/import_source.h"

namespace quarry::work {

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
