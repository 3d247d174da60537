#include "api/firecrawl/states.h"

#include <fmt/format.h>

#include "model/ids.h"

namespace quarry::api {
namespace {

std::unexpected<Error> not_found() {
    return fail(ErrorCode::not_found, "Job not found");
}

}  // namespace

Result<Group> find_group(store::Reader& reader, const Call& call, std::string_view kind) {
    if (!is_uuid(call.values.at(0))) return fail(ErrorCode::invalid_argument, "Invalid job ID");
    const auto id = parse_public_id(call.values.at(0), reader.salt());
    if (!id) return not_found();
    auto group = reader.group(GroupId{id->number});
    if (!group && group.error().code == ErrorCode::not_found) return not_found();
    if (!group) return group;
    const bool is_meant =
        group->created_at == id->created_at && group->kind == kind && group->owner == call.owner;
    if (!is_meant) return not_found();
    return group;
}

std::string id_of(const Group& group, const store::Reader& reader) {
    return public_id(number(group.id), group.created_at, reader.salt());
}

std::string_view firecrawl_state(JobState state) {
    switch (state) {
        case JobState::completed: return "completed";
        case JobState::failed: return "failed";
        case JobState::cancelled: return "cancelled";
        case JobState::queued:
        case JobState::running:
        case JobState::paused: break;
    }
    return "scraping";
}

Timestamp expiry_of(const Services& services, const Group& group) {
    const auto options = crawl::options_of(group);
    const bool is_private = options && options->zero_retention;
    const auto otherwise = is_private ? services.promises.zero_retention : services.promises.others;
    return group.finished_at.value_or(services.now()) + group.kept_for.value_or(otherwise);
}

std::string origin_of(const Request& request) {
    const std::string_view forwarded = request.header("x-forwarded-proto");
    const std::string_view scheme = forwarded == "https" || request.is_encrypted ? "https" : "http";
    const std::string_view forwarded_host = request.header("x-forwarded-host");
    const std::string_view host = forwarded_host.empty() ? request.header("host") : forwarded_host;
    return fmt::format("{}://{}", scheme, host);
}

}  // namespace quarry::api
