#include "store/redis/encoding.h"

#include <bit>
#include <cstring>

#include <boost/json.hpp>

namespace quarry::store::redis {

namespace {

// Of the specification of MessagePack.
constexpr unsigned char boolean_false = 0xc2, int_64 = 0xd3, text_32 = 0xdb;
constexpr std::size_t largest_16 = 0xffff;

}  // namespace

void Message::number(std::uint64_t value, int bytes) {
    for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8)
        bytes_ += static_cast<char>(value >> shift & 0xff);
}

// `kind` is that with a size of 16 bits; the next one has 32.
Message& Message::header(unsigned char kind, std::size_t size) {
    const bool is_large = size > largest_16;
    bytes_ += static_cast<char>(is_large ? kind + 1 : kind);
    number(size, is_large ? 4 : 2);
    return *this;
}

Message& Message::add(std::int64_t value) {
    if (value >= 0 && value < 128) {
        bytes_ += static_cast<char>(value);
        return *this;
    }
    bytes_ += static_cast<char>(int_64);
    number(static_cast<std::uint64_t>(value), 8);
    return *this;
}

Message& Message::add(std::string_view text) {
    bytes_ += static_cast<char>(text_32);
    number(text.size(), 4);
    bytes_ += text;
    return *this;
}

Message& Message::nothing() {
    bytes_ += static_cast<char>(boolean_false);
    return *this;
}

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
        .add(static_cast<int>(group.concurrency))
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

// What scripts answer. The order of the fields is theirs.

namespace {

int small(db::RedisValue value) {
    return static_cast<int>(value.integer());
}

std::optional<GroupId> group_id_of(db::RedisValue value) {
    if (value.integer() == 0) return std::nullopt;
    return GroupId(value.integer());
}

GroupCounters counters_of(db::RedisValue value, std::size_t first) {
    const auto at = [&](std::size_t index) { return value[first + index].integer(); };
    return {.jobs_open = at(0),
            .discovered = at(1),
            .queued = at(2),
            .running = at(3),
            .completed = at(4),
            .failed = at(5),
            .skipped = at(6),
            .unchanged = at(7),
            .duplicates = at(8),
            .gone = at(9),
            .not_admitted = at(10),
            .removed = at(11),
            .bytes = at(12)};
}

}  // namespace

std::optional<Timestamp> time_of(db::RedisValue value) {
    if (value.integer() == 0) return std::nullopt;
    return Timestamp(std::chrono::milliseconds(value.integer()));
}

Event event_of(db::RedisValue value) {
    return {.what = static_cast<Event::What>(value[0].integer()),
            .group = group_id_of(value[1]),
            .id = JobId(value[2].integer()),
            .url = value[4].string(),
            .status = small(value[5]),
            .state = static_cast<JobState>(value[3].integer())};
}

JobLease job_lease_of(db::RedisValue value) {
    return {.lease = {JobId(value[0].integer()), Token(value[1].integer())},
            .kind = value[2].string(),
            .payload = value[3].string(),
            .attempt = small(value[4]),
            .max_attempts = small(value[5]),
            .stalls = small(value[6]),
            .owner = value[7].string(),
            .group = group_id_of(value[8]),
            .deadline = time_of(value[9])};
}

UrlLease url_lease_of(db::RedisValue value, int max_attempts) {
    return {.lease = {JobId(value[0].integer()), Token(value[1].integer())},
            .group = GroupId(value[2].integer()),
            .host = HostId(value[3].integer()),
            .host_name = value[4].string(),
            .url = value[5].string(),
            .key = key_of_bytes(value[6].text()),
            .depth = small(value[7]),
            .redirects = small(value[8]),
            .source = static_cast<UrlSource>(value[9].integer()),
            .attempt = small(value[10]),
            .max_attempts = max_attempts};
}

HostRule host_rule_of(db::RedisValue value) {
    return {.host = value[0].string(),
            .connections = small(value[1]),
            .delay = std::chrono::milliseconds(value[2].integer()),
            .not_before = time_of(value[3])};
}

Job job_of(db::RedisValue value) {
    Job job{.id = JobId(value[0].integer()),
            .kind = value[1].string(),
            .state = static_cast<JobState>(value[2].integer()),
            .priority = small(value[3]),
            .attempts = small(value[4]),
            .max_attempts = small(value[5]),
            .stalls = small(value[6]),
            .progress = small(value[7]),
            .owner = value[8].string(),
            .group = group_id_of(value[9]),
            .unique_key = value[10].string(),
            .last_error = value[11].string(),
            .created_at = time_of(value[13]).value_or(Timestamp{}),
            .run_at = time_of(value[14]),
            .started_at = time_of(value[15]),
            .finished_at = time_of(value[16]),
            .start_by = time_of(value[17]),
            .deadline = time_of(value[18]),
            .payload = value[19].string(),
            .result = value[20].string(),
            .url = value[21].string()};
    if (value[12].integer() != 0) job.worker = WorkerId(value[12].integer());
    return job;
}

std::optional<Keeping> keeping_of(db::RedisValue completed, db::RedisValue failed) {
    if (completed.integer() < 0) return std::nullopt;
    return Keeping{std::chrono::milliseconds(completed.integer()),
                   std::chrono::milliseconds(failed.integer())};
}

Group group_of(db::RedisValue value) {
    Group group{.id = GroupId(value[0].integer()),
                .kind = value[1].string(),
                .name = value[2].string(),
                .options = value[3].string(),
                .collection = value[4].string(),
                .owner = value[5].string(),
                .state = static_cast<JobState>(value[6].integer()),
                .priority = small(value[7]),
                .concurrency = static_cast<Concurrency>(value[8].integer()),
                .page_limit = value[9].integer(),
                .index_pages = value[10].is_true(),
                .counters = counters_of(value, 16),
                .error = value[12].string(),
                .created_at = time_of(value[13]).value_or(Timestamp{}),
                .started_at = time_of(value[14]),
                .finished_at = time_of(value[15])};
    group.timings.fetch = std::chrono::microseconds(value[29].integer());
    group.timings.extract = std::chrono::microseconds(value[30].integer());
    const std::int64_t kept = value[group.counters.completed > 0 ? 33 : 34].integer();
    if (kept >= 0) group.kept_for = std::chrono::milliseconds(kept);
    for (std::size_t index = 0; index < value[11].size(); ++index)
        group.roots.push_back(value[11][index].string());
    return group;
}

FrontierUrl frontier_url_of(db::RedisValue value, GroupId group) {
    FrontierUrl url{.id = JobId(value[0].integer()),
                    .group = group,
                    .url = value[1].string(),
                    .final_url = value[2].string(),
                    .depth = small(value[3]),
                    .source = static_cast<UrlSource>(value[4].integer()),
                    .state = static_cast<UrlState>(value[5].integer()),
                    .skipped = static_cast<SkipReason>(value[6].integer()),
                    .status = small(value[7]),
                    .attempts = small(value[8]),
                    .stalls = small(value[9]),
                    .note = value[10].string(),
                    .run_at = time_of(value[11]),
                    .finished_at = time_of(value[12])};
    if (value[13].integer() != 0) url.content = ContentId(value[13].integer());
    if (value[14].integer() >= 0) url.error = static_cast<ErrorCode>(value[14].integer());
    return url;
}

}  // namespace quarry::store::redis
