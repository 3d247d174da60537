// The URL parser on any bytes: it never crashes, what it writes it reads back unchanged, and a canonical form
// is its own canonical form. The quick way to resolve gives what the parser gives. The input's first line is
// the base, the rest is resolved against it.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "url/canonical.h"
#include "url/domain.h"
#include "url/url.h"

using quarry::url::Url;

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

void check_promises(const Url& url) {
    const auto again = Url::parse(url.href());
    require(again && again->href() == url.href());
    require(again->scheme() == url.scheme() && again->host() == url.host() && again->port() == url.port());
    require(again->path() == url.path() && again->query() == url.query() &&
            again->fragment() == url.fragment());
    require(again->username() == url.username() && again->password() == url.password());
    require(url.is_http() ? !url.host().empty() : true);
    require(Url::parse(url.without_fragment()).has_value() &&
            Url::parse(url.without_credentials()).has_value());
    const auto canonical_url = Url::parse(canonical(url));
    require(canonical_url && canonical(*canonical_url) == canonical_url->href());
    require(url.host().find(quarry::url::registrable_domain(url.host())) != std::string_view::npos);
    for (const char c : url.host()) require(static_cast<unsigned char>(c) > 0x20 && c != '/' && c != '@');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t line = input.find('\n');
    const auto base = Url::parse(input.substr(0, line));
    if (base) check_promises(*base);
    if (line == std::string_view::npos) return 0;
    const auto url = Url::parse(input.substr(line + 1), base ? &*base : nullptr);
    if (url) check_promises(*url);
    std::string href;
    if (base && resolve_plain(input.substr(line + 1), *base, href)) require(url && url->href() == href);
    return 0;
}
