#include "store/redis/removing.h"

#include "store/redis/encoding.h"

namespace quarry::store::redis {

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

}  // namespace quarry::store::redis
