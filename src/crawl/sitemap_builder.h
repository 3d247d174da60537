// Collects what the readers of the different formats find, and keeps the rules that are the same for all.
#pragma once

#include <string>
#include <string_view>

#include "crawl/sitemap.h"

namespace quarry::crawl {

class SitemapBuilder {
public:
    // `base` is borrowed.
    SitemapBuilder(SitemapKind kind, const url::Url& base) : base_(base) { sitemap_.kind = kind; }

    SitemapKind kind() const { return sitemap_.kind; }
    void set_kind(SitemapKind kind) { sitemap_.kind = kind; }

    // Adds a page, or under SitemapKind::index a sitemap. Drops and counts what is not http(s).
    void add(SitemapEntry found);

    // Dropped locations count too, or a file of nothing else would be read to its end.
    bool is_full() const {
        return sitemap_.entries.size() + sitemap_.children.size() + sitemap_.dropped >= max_sitemap_urls;
    }
    bool is_empty() const { return sitemap_.entries.empty() && sitemap_.children.empty(); }

    // Adds a sentence on what is missing.
    void warn(std::string_view sentence);

    Sitemap take() { return std::move(sitemap_); }

private:
    const url::Url& base_;
    Sitemap sitemap_;
};

}  // namespace quarry::crawl
