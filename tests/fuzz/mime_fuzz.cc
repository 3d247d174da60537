// Reads anything as a Content-Type header and, behind its first line, as a body to classify and a text to
// detect the language of.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "text/language.h"
#include "text/mime.h"
#include "text/mime_kind.h"

using namespace quarry::text;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::string_view header = input.substr(0, input.find('\n'));
    const std::string_view body = input.substr(header.size());
    if (const auto type = parse_mime_type(header)) {
        // What is written out must be read back as the same.
        const auto again = parse_mime_type(serialize(*type));
        if (!again || serialize(*again) != serialize(*type)) std::abort();
    }
    if (classify(header, header, body).name.empty()) std::abort();
    detect_language(body);
    normalise_language_tag(header);
    return 0;
}
