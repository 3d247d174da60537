// Feeds hostile bytes to every coding, in two pieces. The first byte chooses the coding, the second where to
// cut.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "net/body_decoder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr const char* codings[] = {"gzip", "deflate", "br", "zstd", "gzip, br", "zstd, deflate, x"};
    constexpr std::size_t limit = 256 * 1024;
    if (size < 2) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
    const std::size_t cut = std::min<std::size_t>(data[1], bytes.size());

    auto decoder = quarry::net::BodyDecoder::open(codings[data[0] % std::size(codings)], limit).value();
    std::string body;
    if (decoder.feed(bytes.substr(0, cut), body) && decoder.feed(bytes.substr(cut), body))
        (void)decoder.finish();
    if (body.size() > limit) std::abort();
    return 0;
}
