#include "store/redis/both_stores.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include "store/redis/encoding.h"

namespace quarry::store::redis {

Result<void> FormerUrls::add_urls(db::RedisValue urls, int max_attempts, std::vector<UrlLease>& leased) {
    std::map<std::int64_t, OfGroup> groups;
    for (std::size_t index = 0; index < urls.size(); ++index) {
        const db::RedisValue url = urls[index];
        leased.push_back(url_lease_of(url, max_attempts));
        const std::int64_t id = url[2].integer();
        const bool may_have = has_former_.with([&](const auto& known) {
            const auto found = known.find(id);
            return found == known.end() || found->second;
        });
        if (!may_have) continue;
        OfGroup& group = groups[id];
        group.crawl.id = GroupId(id);
        group.crawl.collection = url[11].string();
        group.crawl.site = url[12].string();
        group.crawl.zero_retention = url[13].is_true();
        group.places.push_back(leased.size() - 1);
        group.keys.push_back(leased.back().key);
    }
    for (const auto& [id, group] : groups) TRY(add_former(group, leased));
    return {};
}

Result<void> FormerUrls::add_former(const OfGroup& group, std::vector<UrlLease>& leased) {
    auto former = TRY(content_.former_pages(group.crawl, group.keys));
    has_former_.with([&](auto& known) {
        if (known.size() >= remembered_groups) known.clear();
        // What was once known of a crawl stays so: its own first pages are no former ones.
        known.try_emplace(number(group.crawl.id), !former.empty());
    });
    for (std::size_t index = 0; index < former.size() && index < group.places.size(); ++index)
        leased[group.places[index]].former = std::move(former[index]);
    return {};
}

namespace {

// As read_groups.lua is asked for one.
Message question_about(GroupId group) {
    Message message;
    message.list(6).add(number(group)).add("").add("").list(0).add(0).add(1);
    return message;
}

}  // namespace

Result<KeptCrawl> kept_crawl(RedisLink& link, GroupId id) {
    const ScriptAnswer answer = TRY(link.call("read_groups", question_about(id)));
    const db::RedisValue row = answer.result()[0][0];
    if (row.is_nil()) return fail(ErrorCode::not_found, "there is no such group");
    Group group = group_of(row);
    KeptCrawl crawl{.id = id,
                    .kind = group.kind,
                    .name = group.name,
                    .collection = group.collection,
                    .owner = group.owner,
                    .site = row[31].string(),
                    .priority = group.priority,
                    .index_pages = group.index_pages,
                    .zero_retention = row[32].is_true(),
                    .keeping = keeping_of(row[33], row[34]),
                    .page_keeping = page_keeping_of(row[35].integer()),
                    .request_id = row[36].string(),
                    .created_at = group.created_at};
    if (group.is_over()) crawl.ended = std::move(group);
    return crawl;
}

Result<void> remove_group(RedisLink& link, Store& content, GroupId group) {
    KeptCrawl crawl = TRY(kept_crawl(link, group));
    if (!crawl.ended) return fail(ErrorCode::conflict, "the group is not over");
    TRY(content.keep_visits(std::move(crawl), {}));
    while (!TRY(link.call("remove_group", Message().add(number(group)))).result().is_true()) {
    }
    return {};
}

Result<std::int64_t> sweep_redis(RedisLink& link, Store& content, const Retention& retention,
                                 std::chrono::steady_clock::time_point end) {
    std::int64_t jobs = 0;
    do {
        const Timestamp now = link.now();
        Message message;
        message.list(5)
            .add(now - retention.completed_jobs)
            .add(now - retention.failed_jobs)
            .add(now - retention.zero_retention)
            .add(now - retention.groups)
            .add(now - retention.zero_retention);
        const ScriptAnswer answer = TRY(link.call("sweep", message));
        const std::int64_t removed = answer.result()[0].integer(), group = answer.result()[1].integer();
        jobs += removed;
        if (group != 0) TRY(remove_group(link, content, GroupId(group)));
        if (removed == 0 && group == 0) break;
    } while (std::chrono::steady_clock::now() < end);
    return jobs;
}

namespace {

constexpr std::string_view kind_of_changes = "embed_page";

std::string_view name_of(BulkChange change) {
    switch (change) {
        case BulkChange::cancel: return "cancel";
        case BulkChange::pause: return "pause";
        case BulkChange::resume: return "resume";
        case BulkChange::retry: return "retry";
        case BulkChange::hasten: break;  // changes of pages are the content store's
        case BulkChange::clear: return "clear";
        case BulkChange::reprioritise: return "reprioritise";
    }
    return "";
}

// Two halves of one call: the second to end answers.
struct Halves {
    std::mutex mutex{};
    std::vector<Verdict> verdicts{};
    std::optional<Error> error{};
    int left = 2;
    Store::FinishCallback callback{};

    void take(const std::vector<std::size_t>& places, Result<std::vector<Verdict>> half) {
        {
            std::lock_guard lock(mutex);
            if (!half) error = half.error();
            for (std::size_t index = 0; half && index < half->size(); ++index)
                verdicts[places[index]] = (*half)[index];
            if (--left > 0) return;
        }
        if (error) return callback(std::unexpected(*error));
        callback(std::move(verdicts));
    }
};

}  // namespace

SplitFilter split_filter(const JobFilter& filter) {
    if (filter.kind == kind_of_changes) return {.of_content = filter};
    if (filter.ids.empty()) return {.of_redis = filter};
    SplitFilter split;
    JobFilter here = filter, there = filter;
    std::erase_if(here.ids, [](JobId id) { return is_of_content(id); });
    std::erase_if(there.ids, [](JobId id) { return !is_of_content(id); });
    if (!here.ids.empty()) split.of_redis = std::move(here);
    if (!there.ids.empty()) split.of_content = std::move(there);
    return split;
}

Result<BulkChanged> change_jobs(const BulkCall& call, const BulkRequest& request) {
    BulkChanged all;
    JobFilter filter = request.filter;
    filter.states = states_of(request);
    if (filter.states.empty()) return all;
    std::int64_t after = 0;
    while (true) {
        Message message;
        message.list(4).add(name_of(request.change));
        add_filter(message, filter);
        message.add(after).add(request.priority);
        const ScriptAnswer answer = TRY(call(message));
        all.changed += answer.result()[0].integer();
        all.known_is_forgotten = all.known_is_forgotten || answer.result()[2].is_true();
        after = answer.result()[1].integer();
        if (after == 0) return all;
    }
}

void finish_both(BothStores stores, std::vector<Finished> finished, Store::FinishCallback callback,
                 CommitMode mode) {
    auto halves = std::make_shared<Halves>();  // shared by the two callbacks
    halves->callback = std::move(callback);
    halves->verdicts.resize(finished.size(), Verdict::conflict);
    std::vector<Finished> here, there;
    std::vector<std::size_t> places_here, places_there;
    for (std::size_t index = 0; index < finished.size(); ++index) {
        const bool is_there = is_of_content(finished[index].lease.id);
        (is_there ? places_there : places_here).push_back(index);
        (is_there ? there : here).push_back(std::move(finished[index]));
    }
    stores.content.finish(
        std::move(there),
        [halves, places = std::move(places_there)](Result<std::vector<Verdict>> half) {
            halves->take(places, std::move(half));
        },
        mode);
    stores.finisher.submit(
        std::move(here),
        [halves, places = std::move(places_here)](Result<std::vector<Verdict>> half) {
            halves->take(places, std::move(half));
        },
        mode);
}

}  // namespace quarry::store::redis
