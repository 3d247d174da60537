#include "net/curl_url.h"

#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "net/address.h"

namespace quarry::net {

namespace {

struct FreeText {
    void operator()(char* text) const { curl_free(text); }
};
using CurlText = std::unique_ptr<char, FreeText>;

// Nothing if the URL has no such part.
CurlText part_of(CURLU* handle, CURLUPart part) {
    char* text = nullptr;
    return CurlText(curl_url_get(handle, part, &text, 0) == CURLUE_OK ? text : nullptr);
}

// IPv6 addresses have several spellings; names and IPv4 addresses, once normalised, have one.
bool is_same_host(std::string_view ours, std::string_view theirs) {
    if (ours == theirs) return true;
    const auto our_address = Address::parse(ours);
    return our_address && our_address == Address::parse(theirs);
}

// A normalised URL names no port that its scheme implies.
bool is_same_port(std::optional<std::uint16_t> ours, const CurlText& theirs) {
    if (!ours || !theirs) return !ours && !theirs;
    return theirs.get() == std::to_string(*ours);
}

bool is_understood(const url::Url& url, CURLU* handle) {
    const CurlText scheme = part_of(handle, CURLUPART_SCHEME);
    const CurlText host = part_of(handle, CURLUPART_HOST);
    return scheme && scheme.get() == url.scheme() && host && is_same_host(url.host(), host.get()) &&
           is_same_port(url.port(), part_of(handle, CURLUPART_PORT));
}

}  // namespace

Result<UrlHandle> to_curl_url(const url::Url& url) {
    if (!url.is_http())
        return fail(ErrorCode::invalid_argument,
                    fmt::format("only http and https URLs can be fetched, not {}:", url.scheme()));
    UrlHandle handle(curl_url());
    const std::string text = url.without_credentials();
    const CURLUcode code = curl_url_set(handle.get(), CURLUPART_URL, text.c_str(), CURLU_PATH_AS_IS);
    const bool is_agreed = code == CURLUE_OK && is_understood(url, handle.get());
    if (!is_agreed)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" is not a host that can be looked up", url.host()));
    if (url.fragment()) curl_url_set(handle.get(), CURLUPART_FRAGMENT, nullptr, 0);
    return handle;
}

}  // namespace quarry::net
