// How a store is told from the reference: by what a reader shows of it.
#include <algorithm>

#include <fmt/format.h>

#include "store/reference.h"

namespace quarry::test {

namespace {

std::string shown(JobState state, int attempts, int stalls) {
    return fmt::format("{} after {} attempts and {} stalls", name_of(state), attempts, stalls);
}

std::string shown(const GroupCounters& counters) {
    return fmt::format(
        "jobs {}, discovered {}, queued {}, running {}, completed {}, failed {}, skipped {}, gone {}, not "
        "admitted {}",
        counters.jobs_open, counters.discovered, counters.queued, counters.running, counters.completed,
        counters.failed, counters.skipped, counters.gone, counters.not_admitted);
}

}  // namespace

UrlState Reference::url_state_of(const Item& item) const {
    const Crawl& crawl = crawls_.at(*item.group);
    if (item.lease) return UrlState::running;
    switch (item.state) {
        case JobState::completed: return item.is_skipped ? UrlState::skipped : UrlState::completed;
        case JobState::failed: return UrlState::failed;
        case JobState::cancelled: return UrlState::cancelled;
        default: break;
    }
    if (crawl.state == JobState::cancelled) return UrlState::cancelled;
    return crawl.is_over() ? UrlState::skipped : UrlState::queued;
}

GroupCounters Reference::counters_of(GroupId id, const Crawl& crawl) const {
    GroupCounters counters{.not_admitted = crawl.not_admitted};
    for (const auto& [label, item] : items_) {
        if (item.group != id) continue;
        if (!item.is_url) {
            counters.jobs_open += item.is_open() ? 1 : 0;
            continue;
        }
        ++counters.discovered;
        switch (url_state_of(item)) {
            case UrlState::queued: ++counters.queued; break;
            case UrlState::running: ++counters.running; break;
            case UrlState::completed: ++counters.completed; break;
            case UrlState::failed:
                ++counters.failed;
                counters.gone += item.status == 404 ? 1 : 0;
                break;
            case UrlState::skipped: ++counters.skipped; break;
            case UrlState::cancelled: break;
        }
    }
    return counters;
}

std::string Reference::difference_of_jobs(store::Reader& reader) const {
    std::map<std::string, Job> stored;
    for (store::JobQuery page{.with_payload = true};;) {
        const std::vector<Job> jobs = reader.jobs(page).value();
        for (const Job& job : jobs) stored[job.payload] = job;
        if (jobs.empty()) break;
        page.after = jobs.back().id;
    }
    std::size_t expected = 0;
    for (const auto& [label, item] : items_) {
        if (item.is_url || item.is_change()) continue;
        ++expected;
        const auto found = stored.find(label);
        if (found == stored.end()) return fmt::format("job {} is lost", label);
        const Job& job = found->second;
        const std::string is = shown(job.state, job.attempts, job.stalls);
        const std::string should_be =
            shown(item.lease ? JobState::running : item.state, item.attempts, item.stalls);
        if (is != should_be) return fmt::format("job {} is {}, should be {}", label, is, should_be);
        if (job.group != item.group || job.owner != item.owner)
            return fmt::format("job {} is not its own", label);
    }
    if (stored.size() != expected) return fmt::format("{} jobs instead of {}", stored.size(), expected);
    return "";
}

std::string Reference::difference_of_urls(store::Reader& reader, GroupId id) const {
    const std::vector<FrontierUrl> urls = reader.urls({.group = id, .limit = 10'000}).value();
    for (const FrontierUrl& url : urls) {
        const auto found = items_.find(url_label(id, url.url));
        if (found == items_.end()) return fmt::format("{} should not be there", url.url);
        const Item& item = found->second;
        const UrlState should_be = url_state_of(item);
        if (url.state != should_be || url.attempts != item.attempts || url.stalls != item.stalls) {
            return fmt::format("{} of group {} is {} ({}, {}), should be {} ({}, {})", url.url, number(id),
                               name_of(url.state), url.attempts, url.stalls, name_of(should_be),
                               item.attempts, item.stalls);
        }
    }
    return "";
}

std::string Reference::difference_of_groups(store::Reader& reader) const {
    for (const auto& [id, crawl] : crawls_) {
        const auto group = reader.group(id);
        if (!group) return fmt::format("group {} is lost", number(id));
        if (group->state != crawl.state) {
            return fmt::format("group {} is {}, should be {}", number(id), name_of(group->state),
                               name_of(crawl.state));
        }
        const std::string is = shown(group->counters), should_be = shown(counters_of(id, crawl));
        if (is != should_be)
            return fmt::format("group {}:\n  is     {}\n  not    {}", number(id), is, should_be);
        if (auto difference = difference_of_urls(reader, id); !difference.empty()) return difference;
    }
    return "";
}

std::string Reference::difference(store::Reader& reader) const {
    if (auto difference = difference_of_groups(reader); !difference.empty()) return difference;
    if (auto difference = difference_of_changes(reader); !difference.empty()) return difference;
    return difference_of_jobs(reader);
}

}  // namespace quarry::test
