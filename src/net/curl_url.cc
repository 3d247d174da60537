#include "net/curl_url.h"

#include <string>

#include <fmt/format.h>

#include "net/address.h"

namespace quarry::net {

namespace {

std::string part_of(CURLU* handle, CURLUPart part) {
    char* text = nullptr;
    if (curl_url_get(handle, part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return {};
    std::string result(text);
    curl_free(text);
    return result;
}

// IPv6 addresses have several spellings; names and IPv4 addresses, once normalised, have one.
bool is_same_host(std::string_view ours, std::string_view theirs) {
    if (ours == theirs) return true;
    const auto our_address = Address::parse(ours);
    return our_address && our_address == Address::parse(theirs);
}

}  // namespace

Result<UrlHandle> to_curl_url(const url::Url& url) {
    if (!url.is_http())
        return fail(ErrorCode::invalid_argument,
                    fmt::format("only http and https URLs can be fetched, not {}:", url.scheme()));
    UrlHandle handle(curl_url());
    const std::string text = url.without_credentials();
    const CURLUcode code = curl_url_set(handle.get(), CURLUPART_URL, text.c_str(), CURLU_PATH_AS_IS);
    const bool is_agreed = code == CURLUE_OK && part_of(handle.get(), CURLUPART_SCHEME) == url.scheme() &&
                           is_same_host(url.host(), part_of(handle.get(), CURLUPART_HOST)) &&
                           part_of(handle.get(), CURLUPART_PORT) == std::to_string(url.effective_port());
    if (!is_agreed)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" is not a host that can be looked up", url.host()));
    curl_url_set(handle.get(), CURLUPART_FRAGMENT, nullptr, 0);
    return handle;
}

}  // namespace quarry::net
