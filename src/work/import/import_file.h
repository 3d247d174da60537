// Local files as documents: markdown with its front matter, text, HTML and PDF.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fetch/pdf/pdf.h"
#include "work/import/import_document.h"

namespace quarry::work {

// A file as the disk describes it, without its bytes.
struct FileSeen {
    std::string path{};  // absolute
    std::int64_t bytes = 0;
    std::int64_t modified_ns = 0;  // since 1970

    // Changes whenever the bytes may have, as a web server's ETag does.
    std::string etag() const;
};

// `not_found` if there is no file of that name; `unsupported` for what is no regular file: a folder, a pipe,
// a symbolic link.
Result<FileSeen> look_at_file(const std::string& path);

// The type that the name of a file claims; "" if it says nothing.
std::string_view content_type_of_file(std::string_view path);

// Whether files of this name are looked for in folders: markdown, text, HTML, PDF.
bool is_document_name(std::string_view path);

// Reads the file as it is now, which may be later than it was seen. Fails with `too_large`, and as
// read_document does; the sentence begins with the path. Takes as long as a PDF may take.
Result<ImportDocument> read_file_document(const std::string& path, const fetch::PdfLimits& limits);

}  // namespace quarry::work
