// A line of a file to import may be anything: a document that is taken has a name and words, and survives the
// way to the worker.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "work/import/documents.h"

using namespace quarry::work;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view line(reinterpret_cast<const char*>(data), size);
    (void)path_of_file_url(line);
    const auto document = parse_document_line(line);
    if (!document) {
        if (document.error().message.empty()) std::abort();
        return 0;
    }
    if (document->url.empty() || document->markdown.empty()) std::abort();
    const auto again = parse_import_document(to_json(*document));
    if (!again || again->url != document->url || again->markdown != document->markdown) std::abort();
    return 0;
}
