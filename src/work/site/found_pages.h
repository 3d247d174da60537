// The pages a map has found so far: each once, in the order of discovery, told apart into the site's own and
// others.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "url/url.h"
#include "work/site/site_scope.h"

namespace quarry::work {

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
