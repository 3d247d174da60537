// The pages a map has found so far: each once, in the order of discovery.
// SiteScope says which hosts belong to the site that was asked for; by it pages are told apart into the
// site's own and others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "url/url.h"

namespace quarry::work {

// Which hosts belong to the site that was asked for.

enum class Subdomains : std::uint8_t { leave_out, include };

class SiteScope {
public:
    // The site of this URL: its host, with or without "www."; with subdomains, every host of its registrable
    // domain. Scheme and port do not matter. An IP address or a single-label name has no subdomains.
    SiteScope(const url::Url& home, Subdomains subdomains);

    bool contains(const url::Url& url) const;

private:
    std::string host_;    // without "www."
    std::string domain_;  // registrable; "" if only the host itself counts
};

// The pages a map has found so far: each once, in the order of discovery, told apart into the site's own and
// others.

struct FoundPage {
    std::string url{};
    std::string title{};  // or the text of a link to it; "" if neither was seen
    bool is_internal = true;
};

class FoundPages {
public:
    // Beyond `capacity` nothing is taken in.
    FoundPages(SiteScope scope, std::size_t capacity) : scope_(std::move(scope)), capacity_(capacity) {}

    // Takes in an absolute http(s) URL; a title for one that is known without one is kept. Returns true if it
    // is new and belongs to the site.
    bool add(const url::Url& url, std::string_view title);

    bool is_full() const { return pages_.size() >= capacity_; }
    const std::vector<FoundPage>& pages() const { return pages_; }

private:
    SiteScope scope_;
    std::size_t capacity_;
    std::vector<FoundPage> pages_;
    std::unordered_map<std::string, std::size_t> by_canonical_;
};

// The pages that have at least one of the words in their URL or title, those with more of them first. Words
// are compared without case, as parts of words; without any words all pages come back as they are.
std::vector<FoundPage> matching_pages(std::vector<FoundPage> pages, std::string_view words);

}  // namespace quarry::work
