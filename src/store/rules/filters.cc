#include "store/rules/filters.h"

#include <algorithm>

namespace quarry::store {

namespace {

// What stands between the scheme and the path, and the path with what follows.
struct UrlParts {
    std::string_view authority{}, rest{};
};

UrlParts parts_of(std::string_view url) {
    const std::size_t scheme = url.find("://");
    if (scheme == std::string_view::npos) return {.rest = url};
    url.remove_prefix(scheme + 3);
    const std::size_t end = std::min(url.find_first_of("/?#"), url.size());
    return {.authority = url.substr(0, end), .rest = url.substr(end)};
}

}  // namespace

bool is_of_host(std::string_view url, std::string_view host) {
    std::string_view own = parts_of(url).authority;
    if (const std::size_t user = own.rfind('@'); user != std::string_view::npos) own.remove_prefix(user + 1);
    // The colons of an IPv6 address are in brackets.
    const auto port = [](std::string_view text) { return text.find(':', text.rfind(']') + 1); };
    if (port(host) == std::string_view::npos) own = own.substr(0, port(own));
    if (!own.ends_with(host)) return false;
    own.remove_suffix(host.size());
    return own.empty() || own.ends_with('.');
}

bool has_path_prefix(std::string_view url, std::string_view prefix) {
    return parts_of(url).rest.starts_with(prefix);
}

namespace {

std::vector<JobState> states_for(BulkChange change) {
    using enum JobState;
    switch (change) {
        case BulkChange::cancel: return {queued, running, paused};
        case BulkChange::pause: return {queued};
        case BulkChange::resume: return {paused};
        case BulkChange::retry: return {failed, cancelled};
        case BulkChange::hasten: return {queued};
        case BulkChange::clear: return {queued, completed, failed, cancelled, paused};
        case BulkChange::reprioritise: return {queued, paused};
    }
    return {};
}

}  // namespace

std::vector<JobState> states_of(const BulkRequest& request) {
    std::vector<JobState> states = states_for(request.change);
    // Pages that wait because a service was away need not wait when somebody says that it is back.
    if (request.change == BulkChange::retry && request.filter.kind == "embed_page")
        states.push_back(JobState::queued);
    const std::vector<JobState>& wanted = request.filter.states;
    if (!wanted.empty())
        std::erase_if(states, [&](JobState state) { return std::ranges::count(wanted, state) == 0; });
    return states;
}

}  // namespace quarry::store
