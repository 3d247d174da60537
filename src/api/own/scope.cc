#include "api/own/scope.h"

#include "api/reply.h"
#include "base/ascii.h"
#include "base/units.h"
#include "model/public_id.h"

namespace quarry::api::own {
namespace {

namespace json = boost::json;

// A number as it is, or the UUID made of it. The time of a UUID tells whether it is one of this database.
Result<PublicId> parse_id(const store::Reader& reader, std::string_view text) {
    if (const auto number = parse_number(text, 0, std::numeric_limits<std::int64_t>::max()))
        return PublicId{.number = *number};
    return parse_public_id(lower_case(text), reader.salt());
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
    const std::string_view owner = job.owner.empty() ? std::string_view("local") : job.owner;
    if (!is_meant(*parsed, job.created_at) || owner != call.owner)
        return fail(ErrorCode::not_found, "there is no such job");
    return job;
}

Result<store::JobFilter> narrowed(store::Reader& reader, const Call& call, store::JobFilter filter) {
    if (filter.group) TRY(find_crawl(reader, call, std::to_string(number(*filter.group))));
    filter.owner = call.owner;
    return filter;
}

Result<store::PageFilter> narrowed(store::Reader& reader, const Call& call, store::PageFilter filter) {
    if (filter.group) TRY(find_crawl(reader, call, std::to_string(number(*filter.group))));
    return filter;
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

}  // namespace quarry::api::own
