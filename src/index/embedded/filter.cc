#include "index/embedded/filter.h"

namespace quarry::index {

namespace {

// By the names' numbers: whether a page with that name may pass.
template <typename Accept>
std::vector<bool> accepted(const Names& names, Accept accept) {
    std::vector<bool> answer;
    for (const std::string& name : names.all()) answer.push_back(accept(name));
    return answer;
}

}  // namespace

bool is_of_host(std::string_view host, std::string_view wanted) {
    if (!host.ends_with(wanted)) return false;
    return host.size() == wanted.size() || host[host.size() - wanted.size() - 1] == '.';
}

PageFilter::PageFilter(const Filter& filter, const PageTable& pages) {
    if (filter.host.empty() && filter.path_prefix.empty() && filter.language.empty() && !filter.since &&
        !filter.until) {
        return;
    }
    const auto hosts = accepted(pages.hosts, [&](const std::string& host) {
        return filter.host.empty() || is_of_host(host, filter.host);
    });
    const auto languages = accepted(pages.languages, [&](const std::string& language) {
        return filter.language.empty() || language == filter.language;
    });
    Bits admitted(pages.size());
    for (PageNumber number = 0; number < pages.size(); ++number) {
        const PageEntry& page = pages.at(number);
        // An entry that has gone has no chunks either; it may even be of a table without names.
        if (page.host >= hosts.size() || !hosts[page.host]) continue;
        if (page.language >= languages.size() || !languages[page.language]) continue;
        if (filter.since && page.fetched_at < *filter.since) continue;
        if (filter.until && page.fetched_at > *filter.until) continue;
        if (page.path.starts_with(filter.path_prefix)) admitted.set(number);
    }
    pages_ = std::move(admitted);
}

}  // namespace quarry::index
