#include "work/site/found_pages.h"

#include <algorithm>

#include "url/canonical.h"
#include "url/domain.h"

namespace quarry::work {

namespace {

std::string_view without_www(std::string_view host) {
    return host.starts_with("www.") ? host.substr(4) : host;
}

}  // namespace

SiteScope::SiteScope(const url::Url& home, Subdomains subdomains) : host_(without_www(home.host())) {
    if (subdomains == Subdomains::include) domain_ = url::registrable_domain(home.host());
}

bool SiteScope::contains(const url::Url& url) const {
    if (!url.is_http()) return false;
    if (without_www(url.host()) == host_) return true;
    return !domain_.empty() && url::registrable_domain(url.host()) == domain_;
}

namespace {

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& letter : lower) {
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    }
    return lower;
}

std::vector<std::string> split_words(std::string_view text) {
    constexpr std::size_t most_words = 20;
    std::vector<std::string> words;
    const std::string lower = lower_case(text);
    std::string_view rest = lower;
    while (words.size() < most_words) {
        const std::size_t start = rest.find_first_not_of(" \t\n,;");
        if (start == std::string_view::npos) break;
        rest.remove_prefix(start);
        const std::size_t end = std::min(rest.find_first_of(" \t\n,;"), rest.size());
        words.emplace_back(rest.substr(0, end));
        rest.remove_prefix(end);
    }
    return words;
}

// A word of the title says more about a page than a word of its address; having different words counts most.
int score(const FoundPage& page, const std::vector<std::string>& words) {
    const std::string url = lower_case(page.url);
    const std::string title = lower_case(page.title);
    int sum = 0;
    for (const std::string& word : words) {
        const bool in_title = title.find(word) != std::string::npos;
        const bool in_url = url.find(word) != std::string::npos;
        if (in_title || in_url) sum += 4 + (in_title ? 2 : 0) + (in_url ? 1 : 0);
    }
    return sum;
}

}  // namespace

bool FoundPages::add(const url::Url& url, std::string_view title) {
    const std::string canonical = url::canonical(url);
    if (const auto known = by_canonical_.find(canonical); known != by_canonical_.end()) {
        std::string& known_title = pages_[known->second].title;
        if (known_title.empty()) known_title = title;
        return false;
    }
    if (is_full()) return false;
    by_canonical_.emplace(canonical, pages_.size());
    const bool is_internal = scope_.contains(url);
    pages_.push_back({.url = canonical, .title = std::string(title), .is_internal = is_internal});
    return is_internal;
}

std::vector<FoundPage> matching_pages(std::vector<FoundPage> pages, std::string_view words) {
    const std::vector<std::string> wanted = split_words(words);
    if (wanted.empty()) return pages;
    struct Scored {
        int score;
        FoundPage page;
    };
    std::vector<Scored> scored;
    for (FoundPage& page : pages) {
        if (const int own = score(page, wanted); own > 0) scored.push_back({own, std::move(page)});
    }
    std::ranges::stable_sort(scored, std::ranges::greater{}, &Scored::score);
    std::vector<FoundPage> matching;
    matching.reserve(scored.size());
    for (Scored& each : scored) matching.push_back(std::move(each.page));
    return matching;
}

}  // namespace quarry::work
