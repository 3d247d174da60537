#include "crawl/sitemap_builder.h"

#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"

namespace quarry::crawl {

void SitemapBuilder::add(SitemapEntry found) {
    if (is_full()) return warn(fmt::format("it lists over {} URLs; the rest is left out", max_sitemap_urls));
    const auto url = url::Url::parse(trimmed(found.loc), &base_);
    if (!url || !url->is_http()) {
        ++sitemap_.dropped;
        return;
    }
    if (sitemap_.kind != SitemapKind::index) {
        found.loc = url->href();
        sitemap_.entries.push_back(std::move(found));
    } else if (*url != base_) {
        sitemap_.children.push_back(url->href());
    }
}

void SitemapBuilder::warn(std::string_view sentence) {
    if (sitemap_.warning.find(sentence) != std::string::npos) return;
    if (!sitemap_.warning.empty()) sitemap_.warning += "; ";
    sitemap_.warning += sentence;
}

}  // namespace quarry::crawl
