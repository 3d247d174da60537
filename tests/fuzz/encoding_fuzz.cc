// Decodes anything, under a label taken from the first byte. Whatever the bytes, the text must be UTF-8.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "html/encoding/decoders.h"
#include "html/encoding/encoding.h"
#include "html/encoding/labels.h"

using namespace quarry::html;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const auto label = data[0] % 48;
    const std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
    const auto header = label < 40 ? encoding_name(static_cast<Encoding>(label)) : std::string_view();
    for (const auto trust : {LabelTrust::checked, LabelTrust::absolute}) {
        const Decoded decoded = decode(bytes, header, trust);
        if (!count_utf8(decoded.text).is_valid()) std::abort();
        if (decoded.text.size() > 3 * bytes.size() + 3) std::abort();
    }
    return 0;
}
