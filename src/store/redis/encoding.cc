#include "store/redis/encoding.h"

#include <bit>
#include <cstring>

#include <boost/json.hpp>

namespace quarry::store::redis {

namespace {

std::int64_t milliseconds_of(const std::optional<Timestamp>& time) {
    return time ? std::int64_t{time->time_since_epoch().count()} : 0;
}

// In the order of jobs.lua.
void add_job(Message& message, const NewJob& job) {
    message.list(11)
        .add(job.kind)
        .add(job.payload)
        .add(job.priority)
        .add(milliseconds_of(job.run_at))
        .add(milliseconds_of(job.start_by))
        .add(milliseconds_of(job.deadline))
        .add(job.max_attempts)
        .add(job.unique_key)
        .add(job.owner)
        .add(job.group ? number(*job.group) : std::int64_t{0})
        .add(job.zero_retention);
}

// The script adds two members to the payload of a notice, which must have neither.
NewJob notice_without(NewJob notice) {
    boost::system::error_code error;
    boost::json::value payload = boost::json::parse(notice.payload, error);
    if (error || !payload.is_object()) payload = boost::json::object();
    payload.get_object().erase("group");
    payload.get_object().erase("state");
    notice.payload = boost::json::serialize(payload);
    return notice;
}

struct EndWriter {
    Message& message;

    void operator()(const Completed& end) const { message.list(2).add(0).add(end.result); }
    void operator()(const Retry& end) const {
        message.list(4).add(1).add(end.error).add(end.not_before).add(static_cast<int>(end.code));
    }
    void operator()(const Failed& end) const {
        message.list(3).add(2).add(end.error).add(static_cast<int>(end.code));
    }
    void operator()(const Snooze& end) const { message.list(3).add(3).add(end.until).add(end.reason); }
    void operator()(const Skipped& end) const {
        message.list(3).add(4).add(static_cast<int>(end.reason)).add(end.note);
    }
};

bool is_plain(const Outcome& outcome) {
    return outcome.status == 0 && outcome.final_url.empty() && outcome.pages.empty() &&
           outcome.found.empty() && !outcome.canonical && outcome.jobs.empty() && outcome.roots.empty() &&
           outcome.hosts.empty() && outcome.gone.empty() && !outcome.settle && outcome.timings.is_empty();
}

void add_hosts(Message& message, std::span<const HostRule> rules) {
    message.list(rules.size());
    for (const HostRule& rule : rules) {
        message.list(4)
            .add(rule.host)
            .add(rule.connections)
            .add(std::int64_t{rule.delay.count()})
            .add(milliseconds_of(rule.not_before));
    }
}

}  // namespace

std::string bytes_of(const UrlKey& key) {
    const std::uint64_t words[] = {__builtin_bswap64(key.high), __builtin_bswap64(key.low)};
    return {reinterpret_cast<const char*>(words), sizeof words};
}

UrlKey key_of_bytes(std::string_view bytes) {
    std::uint64_t words[2] = {};
    if (bytes.size() == sizeof words) std::memcpy(words, bytes.data(), sizeof words);
    return {.high = __builtin_bswap64(words[0]), .low = __builtin_bswap64(words[1])};
}

void add_limits(Message& message, const StoreLimits& limits) {
    message.map(9)
        .add("lease_duration")
        .add(std::int64_t{limits.lease_duration.count()})
        .add("max_stalls")
        .add(limits.max_stalls)
        .add("max_snoozes")
        .add(limits.max_snoozes)
        .add("url_attempts")
        .add(limits.url_attempts)
        .add("max_open_jobs")
        .add(limits.max_open_jobs)
        .add("open_jobs_limit")
        .add(limits.max_open_jobs_per_owner)
        .add("running_jobs_limit")
        .add(limits.running_jobs_per_owner)
        .add("running_groups_limit")
        .add(limits.running_groups_per_owner)
        .add("max_running_groups")
        .add(limits.max_running_groups);
}

void add_jobs(Message& message, std::span<const NewJob> jobs) {
    message.list(jobs.size());
    for (const NewJob& job : jobs) add_job(message, job);
}

void add_urls(Message& message, std::span<const FoundUrl> urls) {
    message.list(urls.size());
    for (const FoundUrl& url : urls) {
        message.list(7)
            .add(url.url)
            .add(bytes_of(url.key))
            .add(url.host)
            .add(url.depth)
            .add(url.redirects)
            .add(static_cast<int>(url.source))
            .add(url.priority);
    }
}

void add_group(Message& message, const NewGroup& group) {
    message.map(19)
        .add("kind")
        .add(group.kind)
        .add("name")
        .add(group.name)
        .add("options")
        .add(group.options)
        .add("collection")
        .add(group.collection)
        .add("owner")
        .add(group.owner)
        .add("priority")
        .add(group.priority)
        .add("company")
        .add(static_cast<int>(group.company))
        .add("page_limit")
        .add(group.page_limit)
        .add("url_limit")
        .add(group.url_limit)
        .add("index_pages")
        .add(group.index_pages)
        .add("private")
        .add(group.zero_retention)
        .add("site")
        .add(group.site)
        .add("request_key")
        .add(group.request_key)
        .add("keep")
        .add(group.keeping ? std::int64_t{group.keeping->completed.count()} : std::int64_t{-1})
        .add("keep_failed")
        .add(group.keeping ? std::int64_t{group.keeping->failed.count()} : std::int64_t{-1})
        .add("page_keeping")
        .add(static_cast<int>(group.page_keeping))
        .add("request_id")
        .add(group.request_id)
        .add("closing");
    add_jobs(message, group.closing_jobs);
    message.add("notice");
    if (group.notice) {
        add_job(message, notice_without(*group.notice));
    } else {
        message.nothing();
    }
}

void add_filter(Message& message, const JobFilter& filter) {
    message.map(7).add("ids").list(filter.ids.size());
    for (const JobId id : filter.ids) message.add(number(id));
    message.add("group").add(filter.group ? number(*filter.group) : std::int64_t{0});
    message.add("kind").add(filter.kind).add("states").list(filter.states.size());
    for (const JobState state : filter.states) message.add(static_cast<int>(state));
    message.add("owner").add(filter.owner).add("collection").add(filter.collection);
    message.add("older_than").add(filter.older_than ? std::int64_t{filter.older_than->count()} : -1);
}

bool only_completes(const Outcome& outcome) {
    return is_plain(outcome) && std::holds_alternative<Completed>(outcome.end);
}

void add_outcome(Message& message, const Outcome& outcome, const Visited& kept) {
    const bool is_kept = kept.content || kept.must_fetch_again || kept.removed > 0 || kept.bytes > 0;
    if (is_plain(outcome) && !is_kept) {
        message.list(1);
        std::visit(EndWriter{message}, outcome.end);
        return;
    }
    message.list(11);
    std::visit(EndWriter{message}, outcome.end);
    message.add(outcome.status).add(outcome.final_url);
    message.add(outcome.canonical ? bytes_of(*outcome.canonical) : std::string());
    add_urls(message, outcome.found);
    add_jobs(message, outcome.jobs);
    message.list(outcome.roots.size());
    for (const std::string& root : outcome.roots) message.add(root);
    add_hosts(message, outcome.hosts);
    message.add(std::int64_t{outcome.timings.fetch.count()})
        .add(std::int64_t{outcome.timings.extract.count()});
    message.list(6)
        .add(kept.content ? number(*kept.content) : std::int64_t{0})
        .add(kept.unchanged)
        .add(kept.duplicates)
        .add(kept.bytes)
        .add(kept.removed)
        .add(kept.must_fetch_again);
}

}  // namespace quarry::store::redis
