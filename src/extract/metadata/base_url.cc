#include "extract/metadata/base_url.h"

#include "url/relative.h"

namespace quarry::extract {

namespace {

// No server takes URLs of this length; parsing one costs more than it is worth.
constexpr std::size_t max_url_bytes = 16 * 1024;

std::optional<std::string_view> first_base_href(const html::Tree& tree) {
    if (!tree.may_have(html::Tag::base)) return std::nullopt;
    for (html::NodeId id = 0; id < tree.size(); ++id) {
        if (!tree.is(id, html::Tag::base)) continue;
        if (const auto href = tree.attribute(id, html::Attr::href)) return href;
    }
    return std::nullopt;
}

std::optional<url::Url> parse_http(std::string_view text, const url::Url* base) {
    if (text.size() > max_url_bytes) return std::nullopt;
    auto url = url::Url::parse(text, base);
    if (!url || !url->is_http()) return std::nullopt;
    return *std::move(url);
}

}  // namespace

std::optional<url::Url> base_url(const html::Tree& tree, std::string_view page_url) {
    auto page = url::Url::parse(page_url);
    const url::Url* own = page ? &*page : nullptr;
    if (const auto href = first_base_href(tree)) {
        if (auto base = parse_http(*href, own)) return base;
    }
    if (own == nullptr) return std::nullopt;
    return *std::move(page);
}

std::string absolute_url(std::string_view reference, const url::Url* base) {
    std::string href;
    if (base != nullptr && url::resolve_plain(reference, *base, href)) return href;
    const auto url = parse_http(reference, base);
    return url ? url->href() : std::string{};
}

}  // namespace quarry::extract
