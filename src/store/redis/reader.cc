// The Reader: jobs, crawls and URLs by scripts, pages and all that belongs to them from the content store's
// reader.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <boost/json.hpp>

#include "store/records.h"
#include "store/redis/both_stores.h"
#include "store/redis/encoding.h"
#include "store/redis/link.h"
#include "store/redis/store.h"

namespace quarry::store {

namespace redis {

namespace {

using Counts = std::map<std::tuple<std::string, std::string, JobState>, std::int64_t>;

class RedisReader final : public Reader {
public:
    explicit RedisReader(RedisReaderConfig config)
        : link_({.url = config.url, .prefix = config.prefix, .limits = config.limits}),
          content_(std::move(config.content)) {}
    Result<void> connect() {
        TRY(link_.pool().borrow());
        return {};
    }

    Result<Group> group(GroupId id) override;
    Result<std::vector<Group>> groups(const GroupFilter& filter) override;
    Result<std::int64_t> position(GroupId id) override {
        return TRY(link_.call("read_position", Message().add(number(id)))).result().integer();
    }
    Result<std::vector<std::string>> current_urls(GroupId id, int limit) override;

    Result<Job> job(JobId id) override {
        if (is_of_content(id)) return content_->job(id);
        auto found = TRY(jobs({.filter = {.ids = {id}}, .limit = 1, .with_payload = true}));
        if (found.empty()) return fail(ErrorCode::not_found, "no such job");
        return std::move(found.front());
    }
    Result<std::vector<Job>> jobs(const JobQuery& page) override;
    Result<std::vector<StateCount>> job_counts(const JobFilter& filter) override;
    Result<std::vector<FrontierUrl>> urls(const UrlQuery& page) override;

    Result<StoredPages> pages(const PageQuery& page) override { return content_->pages(page); }
    Result<std::optional<StoredPage>> page(std::string_view collection, const UrlKey& key) override {
        return content_->page(collection, key);
    }
    Result<std::vector<StoredPage>> page_versions(std::span<const ContentId> versions) override {
        return content_->page_versions(versions);
    }
    Result<std::string> media(ContentId version) override { return content_->media(version); }
    Result<std::int64_t> stored_bytes(const std::vector<std::string>& collections) override {
        return content_->stored_bytes(collections);
    }
    Result<OutboxCounts> outbox_counts(const std::string& collection, std::optional<GroupId> group) override {
        return content_->outbox_counts(collection, group);
    }
    Result<std::vector<Collection>> collections() override { return content_->collections(); }
    Result<std::optional<Collection>> collection(const std::string& name) override {
        return content_->collection(name);
    }
    Result<EmbedderFacts> embedder(const std::string& collection) override {
        return content_->embedder(collection);
    }
    Result<std::vector<Session>> sessions(const SessionFilter& filter) override;
    Result<std::vector<SessionDay>> session_days(int limit) override;
    Result<std::vector<Operation>> operations(const OperationFilter& filter) override {
        return content_->operations(filter);
    }
    Result<std::vector<OperationDay>> operation_days(int limit) override {
        return content_->operation_days(limit);
    }
    Result<Timings> timings(GroupId id) override { return TRY(group(id)).timings; }
    Result<std::vector<SlowPage>> slowest_pages(GroupId id, int limit) override {
        return content_->slowest_pages(id, limit);
    }

    Result<std::vector<ApiKey>> keys() override { return content_->keys(); }
    Result<std::optional<OwnerLimits>> limits(const std::string& owner) override;
    Result<std::vector<UsageDay>> usage(const std::string& owner, Timestamp since) override;
    Result<std::vector<RequestRecord>> requests(const RequestFilter& filter) override {
        return content_->requests(filter);
    }
    Result<std::vector<RequestDay>> request_days(int limit) override { return content_->request_days(limit); }

    Result<std::vector<WorkerInfo>> workers() override;
    Result<std::vector<Schedule>> schedules() override;
    std::uint64_t salt() const override { return content_->salt(); }

private:
    Result<void> add_what_content_knows(Group& group);
    Result<std::vector<Group>> some_groups(const GroupFilter& filter, int most);
    Result<std::string> last_failure(GroupId group);  // why its last page was not brought
    Result<Counts> count_row_by_row(const JobFilter& filter);

    RedisLink link_;
    std::unique_ptr<Reader> content_;
};

Message question_about_groups(const GroupFilter& filter, std::int64_t before, int limit) {
    Message message;
    message.list(6).add(0).add(filter.owner).add(filter.kind).list(filter.states.size());
    for (const JobState state : filter.states) message.add(static_cast<int>(state));
    return message.add(before).add(limit), message;
}

// What became of its pages after it brought them.
Result<void> RedisReader::add_what_content_knows(Group& group) {
    const auto kept = content_->group(group.id);
    if (!kept && kept.error().code == ErrorCode::not_found) return {};
    if (!kept) return std::unexpected(kept.error());
    group.counters.indexed = kept->counters.indexed;
    group.counters.index_failed = kept->counters.index_failed;
    group.counters.chunks = kept->counters.chunks;
    group.timings.chunk = kept->timings.chunk;
    group.timings.embed = kept->timings.embed;
    group.timings.index = kept->timings.index;
    group.timings.words = kept->timings.words;
    group.timings.chunks = kept->timings.chunks;
    return {};
}

Result<Group> RedisReader::group(GroupId id) {
    Message message;
    message.list(6).add(number(id)).add("").add("").list(0).add(0).add(1);
    const ScriptAnswer answer = TRY(link_.call("read_groups", message));
    if (answer.result()[0].size() == 0) return fail(ErrorCode::not_found, "no such crawl");
    Group group = group_of(answer.result()[0][0]);
    TRY(add_what_content_knows(group));
    return group;
}

Result<std::vector<Group>> RedisReader::groups(const GroupFilter& filter) {
    std::vector<Group> groups = TRY(some_groups(filter, filter.limit));
    for (Group& group : groups) TRY(add_what_content_knows(group));
    return groups;
}

Result<std::vector<Group>> RedisReader::some_groups(const GroupFilter& filter, int most) {
    std::vector<Group> groups;
    std::int64_t before = filter.before ? number(*filter.before) : 0;
    while (std::ssize(groups) < most) {
        const int wanted = most - static_cast<int>(groups.size());
        const ScriptAnswer answer =
            TRY(link_.call("read_groups", question_about_groups(filter, before, wanted)));
        for (std::size_t index = 0; index < answer.result()[0].size(); ++index)
            groups.push_back(group_of(answer.result()[0][index]));
        before = answer.result()[1].integer();
        if (before == 0) break;
    }
    return groups;
}

Result<std::vector<std::string>> RedisReader::current_urls(GroupId id, int limit) {
    const ScriptAnswer answer = TRY(link_.call("read_current", Message().list(2).add(number(id)).add(limit)));
    std::vector<std::string> urls;
    for (std::size_t index = 0; index < answer.result().size(); ++index)
        urls.push_back(answer.result()[index].string());
    return urls;
}

Result<std::vector<Job>> RedisReader::jobs(const JobQuery& page) {
    const SplitFilter split = split_filter(page.filter);
    std::vector<Job> jobs;
    if (split.of_content) {
        JobQuery there = page;
        there.filter = *split.of_content;
        jobs = TRY(content_->jobs(there));
    }
    std::int64_t after = page.after ? number(*page.after) : 0;
    while (split.of_redis && std::ssize(jobs) < page.limit) {
        Message message;
        message.list(4);
        add_filter(message, *split.of_redis);
        message.add(after).add(page.limit - static_cast<int>(jobs.size())).add(page.with_payload);
        const ScriptAnswer answer = TRY(link_.call("read_jobs", message));
        for (std::size_t index = 0; index < answer.result()[0].size(); ++index)
            jobs.push_back(job_of(answer.result()[0][index]));
        after = answer.result()[1].integer();
        if (after == 0) break;
    }
    return jobs;
}

void add_counts(Counts& counts, db::RedisValue flat, const JobFilter& filter) {
    for (std::size_t index = 0; index + 1 < flat.size(); index += 2) {
        const std::string_view name = flat[index].text();
        const auto first = name.find('\n'), second = name.find('\n', first + 1);
        if (first == name.npos || second == name.npos) continue;
        const auto state = static_cast<JobState>(name[0] - '0');
        const std::string kind(name.substr(first + 1, second - first - 1)),
            collection(name.substr(second + 1));
        if (!filter.kind.empty() && kind != filter.kind) continue;
        if (!filter.collection.empty() && collection != filter.collection) continue;
        if (!filter.states.empty() && std::ranges::count(filter.states, state) == 0) continue;
        counts[{kind, collection, state}] += flat[index + 1].integer();
    }
}

Result<Counts> RedisReader::count_row_by_row(const JobFilter& filter) {
    Counts counts;
    std::vector<JobFilter> filters = {filter};
    // Without a kind, URLs are listed only of a group, but counted all.
    if (filter.kind.empty() && !filter.group && filter.ids.empty()) {
        filters.push_back(filter);
        filters.back().kind = "fetch_page";
    }
    for (const JobFilter& some : filters) {
        std::int64_t after = 0;
        do {
            Message message;
            message.list(2);
            add_filter(message, some);
            const ScriptAnswer answer = TRY(link_.call("count_some", message.add(after)));
            add_counts(counts, answer.result()[0], {});
            after = answer.result()[1].integer();
        } while (after != 0);
    }
    return counts;
}

Result<std::vector<StateCount>> RedisReader::job_counts(const JobFilter& filter) {
    const bool row_by_row = !filter.ids.empty() || filter.older_than || filter.group || !filter.owner.empty();
    SplitFilter split = split_filter(filter);
    // Without a kind, changes are counted too.
    if (filter.kind.empty() && filter.ids.empty()) {
        split.of_content = filter;
        split.of_content->kind = "embed_page";
    }
    std::vector<StateCount> result;
    if (split.of_content) result = TRY(content_->job_counts(*split.of_content));
    if (!split.of_redis) return result;
    Counts counts;
    if (row_by_row) {
        counts = TRY(count_row_by_row(*split.of_redis));
    } else {
        const ScriptAnswer answer = TRY(link_.call("read_counts", Message().list(0)));
        add_counts(counts, answer.result(), filter);
    }
    for (const auto& [key, count] : counts) {
        if (count == 0) continue;
        result.push_back({.kind = std::get<0>(key),
                          .collection = std::get<1>(key),
                          .state = std::get<2>(key),
                          .count = count});
    }
    return result;
}

Result<std::vector<FrontierUrl>> RedisReader::urls(const UrlQuery& page) {
    std::vector<FrontierUrl> urls;
    std::int64_t after = page.after ? number(*page.after) : 0;
    while (std::ssize(urls) < page.limit) {
        Message message;
        message.list(5).add(number(page.group)).list(page.states.size());
        for (const UrlState state : page.states) message.add(static_cast<int>(state));
        message.add(page.skipped ? static_cast<int>(*page.skipped) : -1);
        message.add(after).add(page.limit - static_cast<int>(urls.size()));
        const ScriptAnswer answer = TRY(link_.call("read_urls", message));
        for (std::size_t index = 0; index < answer.result()[0].size(); ++index)
            urls.push_back(frontier_url_of(answer.result()[0][index], page.group));
        after = answer.result()[1].integer();
        if (after == 0) break;
    }
    return urls;
}

// As GROUP_SUCCESS says it in SQL.
bool is_success(const Group& group) {
    if (group.state != JobState::completed) return false;
    const bool is_one_page = group.kind == "scrape" || group.kind == "rescrape";
    return group.counters.completed > 0 || (group.counters.failed == 0 && !is_one_page);
}

Session session_of(const Group& group) {
    using std::chrono::duration_cast;
    using std::chrono::milliseconds;
    const Timings& times = group.timings;
    Session session{.id = number(group.id),
                    .group = group.id,
                    .operation = group.kind,
                    .base_url = group.name,
                    .owner = group.owner,
                    .started_at = group.started_at.value_or(group.created_at),
                    .completed_at = group.finished_at,
                    .success = is_success(group),
                    .auto_index = group.index_pages,
                    .counts = {.total_urls = group.counters.discovered,
                               .completed_urls = group.counters.completed,
                               .failed_urls = group.counters.failed,
                               .pages_indexed = group.counters.indexed,
                               .pages_failed = group.counters.index_failed,
                               .chunks = group.counters.chunks,
                               .fetch = duration_cast<milliseconds>(times.fetch),
                               .extract = duration_cast<milliseconds>(times.extract),
                               .chunking = duration_cast<milliseconds>(times.chunk),
                               .embedding = duration_cast<milliseconds>(times.embed),
                               .index = duration_cast<milliseconds>(times.index),
                               .bm25 = duration_cast<milliseconds>(times.words)},
                    .error = group.error};
    if (group.started_at && group.finished_at)
        session.counts.duration = *group.finished_at - *group.started_at;
    return session;
}

// Those of crawls are made from their groups; the content store's own rows of these crawls are left out.
Result<std::vector<Session>> RedisReader::sessions(const SessionFilter& filter) {
    const std::vector<Group> crawls = TRY(some_groups({.kind = filter.operation}, filter.limit));
    SessionFilter wider = filter;
    wider.limit += static_cast<int>(crawls.size());
    std::vector<Session> sessions = TRY(content_->sessions(wider));
    std::erase_if(sessions,
                  [](const Session& session) { return session.group && !is_of_content(*session.group); });
    for (Group group : crawls) {
        TRY(add_what_content_knows(group));
        Session session = session_of(group);
        if (session.error.empty() && group.state == JobState::completed && group.counters.completed == 0)
            session.error = TRY(last_failure(group.id));
        const bool is_wanted = (!filter.since || session.started_at >= *filter.since) &&
                               (!filter.before || session.started_at < *filter.before);
        if (is_wanted) sessions.push_back(std::move(session));
    }
    std::ranges::stable_sort(sessions, std::greater{}, &Session::started_at);
    if (std::ssize(sessions) > filter.limit) sessions.resize(static_cast<std::size_t>(filter.limit));
    return sessions;
}

Result<std::string> RedisReader::last_failure(GroupId group) {
    const auto failed =
        TRY(urls({.group = group, .states = {UrlState::failed, UrlState::skipped}, .limit = 100}));
    return failed.empty() ? std::string() : failed.back().note;
}

// Those that the content store has added up, and crawls as they are here.
Result<std::vector<SessionDay>> RedisReader::session_days(int limit) {
    constexpr int most_groups = 1'000'000;
    std::map<std::pair<Timestamp, std::string>, SessionDay> days;
    for (SessionDay& day : TRY(content_->session_days(limit)))
        days.emplace(std::pair(day.day, day.operation), std::move(day));
    for (Group group : TRY(some_groups({}, most_groups))) {
        TRY(add_what_content_knows(group));
        const Session session = session_of(group);
        const Timestamp midnight = std::chrono::floor<std::chrono::days>(group.created_at);
        SessionDay& day = days[{midnight, session.operation}];
        day.day = midnight;
        day.operation = session.operation;
        ++day.sessions;
        day.successes += session.success ? 1 : 0;
        day.counts.add(session.counts);
    }
    std::vector<SessionDay> sums;
    for (auto& [place, day] : days) sums.push_back(std::move(day));
    std::ranges::stable_sort(sums, std::greater{}, &SessionDay::day);
    if (std::ssize(sums) > limit) sums.resize(static_cast<std::size_t>(limit));
    return sums;
}

Result<std::optional<OwnerLimits>> RedisReader::limits(const std::string& owner) {
    const ScriptAnswer answer = TRY(link_.call("read_owner", Message().list(2).add(owner).add(0)));
    const db::RedisValue own = answer.result()[0];
    if (own.size() == 0) return std::nullopt;
    return OwnerLimits{.running_jobs = static_cast<int>(own[0].integer()),
                       .running_groups = static_cast<int>(own[1].integer()),
                       .open_jobs = own[2].integer(),
                       .requests_per_minute = own[3].integer(),
                       .pages_per_month = own[4].integer(),
                       .stored_bytes = own[5].integer()};
}

Result<std::vector<UsageDay>> RedisReader::usage(const std::string& owner, Timestamp since) {
    const ScriptAnswer answer = TRY(link_.call("read_owner", Message().list(2).add(owner).add(since)));
    std::vector<UsageDay> days;
    for (std::size_t index = 0; index < answer.result()[1].size(); ++index) {
        const db::RedisValue entry = answer.result()[1][index];
        days.push_back({.day = time_of(entry[0]).value_or(Timestamp{}), .pages = entry[1].integer()});
    }
    return days;
}

Result<std::vector<WorkerInfo>> RedisReader::workers() {
    const ScriptAnswer answer = TRY(link_.call("read_workers", Message().list(0)));
    std::vector<WorkerInfo> workers;
    for (std::size_t index = 0; index < answer.result().size(); ++index) {
        const db::RedisValue entry = answer.result()[index];
        workers.push_back({.id = WorkerId(entry[0].integer()),
                           .name = entry[1].string(),
                           .beat_at = time_of(entry[2]).value_or(Timestamp{}),
                           .running = entry[3].integer()});
    }
    return workers;
}

Result<std::vector<Schedule>> RedisReader::schedules() {
    const ScriptAnswer answer = TRY(link_.call("read_schedules", Message().list(0)));
    std::vector<Schedule> schedules;
    for (std::size_t index = 0; index < answer.result().size(); ++index) {
        const db::RedisValue entry = answer.result()[index];
        boost::system::error_code error;
        const boost::json::value json = boost::json::parse(entry[1].text(), error);
        if (error) return fail(ErrorCode::corrupt, "a schedule is damaged: " + entry[0].string());
        schedules.push_back(TRY(parse_schedule(json)));
        schedules.back().next_at = time_of(entry[2]);
    }
    return schedules;
}

}  // namespace

}  // namespace redis

Result<std::unique_ptr<Reader>> open_redis_reader(RedisReaderConfig config) {
    auto reader = std::make_unique<redis::RedisReader>(std::move(config));
    TRY(reader->connect());
    return reader;
}

}  // namespace quarry::store
