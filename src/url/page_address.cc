#include "url/page_address.h"

#include <fmt/format.h>

#include "base/ascii.h"

namespace quarry::url {

namespace {

// "localhost:8080" would be a URL of scheme "localhost"; what follows the colon tells that it is a port.
bool lacks_scheme(std::string_view text) {
    const std::size_t end = text.find_first_of(":/?#");
    if (end == std::string_view::npos || text[end] != ':') return true;
    return end + 1 < text.size() && text[end + 1] >= '0' && text[end + 1] <= '9';
}

// "notaurl" is a slip of the hand more often than a host of the own network, which may be named with its
// scheme.
bool names_host(std::string_view text) {
    const std::string_view host = text.substr(0, text.find_first_of("/?#"));
    return host.find_first_of(".:") != std::string_view::npos || same_letters(host, "localhost");
}

}  // namespace

Result<Url> parse_page_address(std::string_view text) {
    text = trimmed(text);
    if (text.empty()) return fail(ErrorCode::invalid_argument, "Invalid URL: it is empty");
    if (lacks_scheme(text) && !names_host(text)) {
        const std::string_view shown = text.substr(0, 100);
        std::string says = fmt::format("Invalid URL \"{}\": it has neither a scheme nor a dot", shown);
        if (text.find_first_of(" \t") == std::string_view::npos)
            says += fmt::format(". Write http://{} if that is a host of your network", shown);
        return fail(ErrorCode::invalid_argument, std::move(says));
    }
    auto url = Url::parse(lacks_scheme(text) ? fmt::format("http://{}", text) : std::string(text));
    if (!url) return url;
    if (!url->is_http()) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("Invalid URL \"{}\": quarry fetches http and https, not {}",
                                without_secrets(text), url->scheme()));
    }
    return url;
}

std::string without_secrets(std::string_view address) {
    if (const auto url = Url::parse(address)) {
        return url->username().empty() && url->password().empty() ? std::string(address)
                                                                  : url->without_credentials();
    }
    const std::size_t slashes = address.find("//");
    const std::size_t start = slashes == std::string_view::npos ? 0 : slashes + 2;
    const std::size_t at_sign = address.substr(start, address.find_first_of("/?#", start) - start).rfind('@');
    if (at_sign == std::string_view::npos) return std::string(address);
    return fmt::format("{}{}", address.substr(0, start), address.substr(start + at_sign + 1));
}

}  // namespace quarry::url
