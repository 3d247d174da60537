#include "api/own/scope.h"

#include <boost/json.hpp>

#include "api/server/message.h"
#include "base/ascii.h"
#include "base/units.h"
#include "crawl/options/json.h"
#include "model/collection.h"
#include "model/ids.h"
#include "model/json/fields.h"
#include "store/records.h"

namespace quarry::api::own {
namespace {

namespace json = boost::json;

// A number as it is, or the UUID made of it. The time of a UUID tells whether it is one of this database.
Result<PublicId> parse_id(const store::Reader& reader, std::string_view text) {
    if (const auto number = parse_number(text, 0, std::numeric_limits<std::int64_t>::max()))
        return PublicId{.number = *number};
    return parse_public_id(lower_case(text), reader.salt());
}

// The machine's own user has the names of all others besides their own.
bool sees_all_collections(const Call& call) {
    return call.owner == local_owner;
}

bool is_meant(const PublicId& id, Timestamp created_at) {
    return id.created_at == Timestamp() || id.created_at == created_at;
}

}  // namespace

Result<Group> find_crawl(store::Reader& reader, const Call& call, std::string_view id) {
    const auto none = fail(ErrorCode::not_found, "there is no such crawl");
    const auto parsed = parse_id(reader, id);
    if (!parsed) return fail(ErrorCode::invalid_argument, "this is no id of a crawl");
    auto group = reader.group(GroupId{parsed->number});
    if (!group && group.error().code == ErrorCode::not_found) return none;
    if (!group) return group;
    if (!is_meant(*parsed, group->created_at) || group->owner != call.owner) return none;
    return group;
}

Result<Group> find_crawl(store::Reader& reader, const Call& call) {
    return find_crawl(reader, call, call.values.at(0));
}

Result<Job> find_job(store::Reader& reader, const Call& call, std::string_view id) {
    const auto parsed = parse_id(reader, id);
    if (!parsed) return fail(ErrorCode::invalid_argument, "this is no id of a job");
    auto job = TRY(reader.job(JobId{parsed->number}));
    // What no crawl brought is the local user's.
    const std::string_view owner = job.owner.empty() ? local_owner : job.owner;
    if (!is_meant(*parsed, job.created_at) || owner != call.owner)
        return fail(ErrorCode::not_found, "there is no such job");
    return job;
}

Result<store::JobFilter> narrowed(store::Reader& reader, const Call& call, store::JobFilter filter) {
    if (filter.group) TRY(find_crawl(reader, call, std::to_string(number(*filter.group))));
    filter.owner = call.owner;
    if (!filter.collection.empty()) filter.collection = call.collection(filter.collection);
    return filter;
}

Result<std::vector<store::PageFilter>> narrowed(store::Reader& reader, const Call& call,
                                                store::PageFilter filter) {
    if (filter.group) TRY(find_crawl(reader, call, std::to_string(number(*filter.group))));
    if (!filter.collection.empty()) filter.collection = call.collection(filter.collection);
    const bool is_narrow = !filter.collection.empty() || filter.group || sees_all_collections(call);
    if (is_narrow) return std::vector{std::move(filter)};
    std::vector<store::PageFilter> filters;
    for (const Collection& collection : TRY(own_collections(reader, call))) {
        filters.push_back(filter);
        filters.back().collection = call.collection(collection.name);
    }
    return filters;
}

bool is_own_collection(const Call& call, std::string_view stored_name) {
    return sees_all_collections(call) || plain_collection(call.owner, stored_name) != stored_name;
}

Group shown(const Call& call, Group group) {
    group.collection = plain_collection(call.owner, group.collection);
    json::error_code error;
    json::value options = json::parse(group.options, error);
    if (error) return group;
    crawl::hide_url_secrets(options);
    group.options = json::serialize(options);
    return group;
}

StoredPage shown(const Call& call, StoredPage page) {
    page.collection = plain_collection(call.owner, page.collection);
    return page;
}

store::StateCount shown(const Call& call, store::StateCount count) {
    count.collection = plain_collection(call.owner, count.collection);
    return count;
}

Collection shown(const Call& call, Collection collection) {
    collection.name = plain_collection(call.owner, collection.name);
    return collection;
}

Result<std::vector<Collection>> own_collections(store::Reader& reader, const Call& call) {
    std::vector<Collection> own;
    for (Collection& collection : TRY(reader.collections()))
        if (is_own_collection(call, collection.name)) own.push_back(shown(call, std::move(collection)));
    return own;
}

Result<store::OutboxCounts> own_outbox(store::Reader& reader, const Call& call, const std::string& collection,
                                       std::optional<GroupId> group) {
    if (!collection.empty()) return reader.outbox_counts(call.collection(collection), group);
    if (group || sees_all_collections(call)) return reader.outbox_counts("", group);
    store::OutboxCounts sum;
    for (const Collection& own : TRY(own_collections(reader, call))) {
        const auto counts = TRY(reader.outbox_counts(call.collection(own.name), std::nullopt));
        sum.pending += counts.pending;
        sum.processing += counts.processing;
        sum.completed += counts.completed;
        sum.failed += counts.failed;
        if (counts.next_due)
            sum.next_due = std::min(sum.next_due.value_or(*counts.next_due), *counts.next_due);
        if (sum.last_error.empty()) sum.last_error = counts.last_error;
    }
    return sum;
}

bool is_own(const Call& call, const Session& session) {
    return session.owner == call.owner;
}

bool is_own(const Call& call, const store::Schedule& schedule) {
    return (schedule.group ? schedule.group->owner : schedule.job.owner) == call.owner;
}

void answer(const Call& call, Result<json::value> value) {
    call.respond(value ? reply(*value) : reply(value.error()));
}

void perform(Api& api, const Call& call, const std::string& method, const json::object& params) {
    answer(call, api.services().perform(method, params));
}

void perform_slowly(Api& api, const Call& call, const std::string& method, json::object params) {
    api.post_slow(call, [&api, call, method, params = std::move(params)](store::Reader&) {
        perform(api, call, method, params);
    });
}

void perform_slowly(Api& api, const Call& call, const std::string& method,
                    std::vector<store::PageFilter> filters) {
    api.post_slow(call, [&api, call, method, filters = std::move(filters)](store::Reader&) {
        std::int64_t count = 0;
        for (const store::PageFilter& filter : filters) {
            const auto done = api.services().perform(method, to_json(filter));
            const auto more = done ? answered_number(*done, "count") : std::unexpected(done.error());
            if (!more) return call.respond(reply(more.error()));
            count += *more;
        }
        call.respond(reply(json::object{{"count", count}}));
    });
}

}  // namespace quarry::api::own
