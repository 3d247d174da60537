// What comes to the proxy from the browser, and to it from servers.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "net/proxy_request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto end = quarry::net::end_of_head(text);
    if (end > text.size()) std::abort();
    const auto request = quarry::net::parse_proxy_request(text);
    // However it was written, what goes out is one head.
    if (request && request->kind == quarry::net::ProxyRequestKind::http &&
        quarry::net::end_of_head(request->head) != request->head.size())
        std::abort();
    const auto answer = quarry::net::parse_proxy_response(text);
    if (answer && quarry::net::end_of_head(answer->head) != answer->head.size()) std::abort();
    return 0;
}
