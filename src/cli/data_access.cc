#include "cli/data_access.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "app/owner/client.h"
#include "base/ascii.h"
#include "cli/cli.h"
#include "cli/exit.h"
#include "cli/output/terminal.h"
#include "db/redis/connection.h"
#include "model/ids.h"

namespace quarry::cli {
namespace {

Error crawl_not_found(std::string_view id) {
    return {ErrorCode::not_found, fmt::format("Crawl not found: {}. See quarry status --list", id)};
}

// Looks through all crawls, the newest first, because a user who types the beginning of an id means a recent
// crawl.
Result<Group> find_by_beginning(store::Reader& reader, std::string_view beginning) {
    std::optional<Group> found;
    store::GroupFilter filter{.limit = 500};
    while (true) {
        auto groups = TRY(reader.groups(filter));
        if (groups.empty()) break;
        filter.before = groups.back().id;
        for (Group& group : groups) {
            if (!id_of(group, reader).starts_with(beginning)) continue;
            if (found)
                return fail(ErrorCode::invalid_argument,
                            fmt::format("several crawls begin with \"{}\". Give more of the id", beginning));
            found = std::move(group);
        }
    }
    if (!found) return std::unexpected(crawl_not_found(beginning));
    return *std::move(found);
}

// If Redis cannot be reached, goes on with the data folder alone, provided that the settings allow it.
void fall_back_if_away(app::DataSource& place) {
    const std::string fallback = place.settings.text("store.fallback");
    const bool may_fall_back = fallback == "local" || fallback == "true";  // --local
    if (place.store.kind != app::StoreAddress::Kind::redis || !may_fall_back) return;
    const auto there = db::RedisConnection::open({.url = place.store.url});
    if (there || there.error().code != ErrorCode::unavailable) return;
    say(fmt::format("{}. Going on with {} alone", there.error().message, place.folder.root));
    place.store = {};
    place.folder.path = place.folder.root;
}

}  // namespace

Result<app::DataSource> place_of(const CommandContext& session) {
    std::string config_file = session.config_file;
    // A worker in the background has another current folder.
    if (!config_file.empty()) config_file = std::filesystem::absolute(config_file).string();
    app::DataSource place{
        .settings = session.settings, .version = version, .config_file = std::move(config_file)};
    place.remote = TRY(app::RemoteApi::connect(session.settings));
    if (place.remote) return place;
    place.folder = TRY(app::data_folder(session.settings, app::process_environment()));
    place.store = TRY(app::store_address(session.settings));
    place.warn = [](const std::string& sentence) { say(sentence); };
    fall_back_if_away(place);
    return place;
}

int give_up(const CommandContext& session, const Error& error) {
    say_error(session.terminal, error.message);
    if (error.code == ErrorCode::corrupt && error.message.contains("quarry.db"))
        say("Put a backup in its place (quarry backup makes them), or save what can still be read: quarry "
            "export pages");
    return exit_codes_of(error.code).of_command;
}

Result<Group> find_crawl(store::Reader& reader, std::string_view id) {
    const std::string lower = lower_case(id);
    if (!looks_like_id(lower)) return std::unexpected(crawl_not_found(id));
    const auto parsed = parse_public_id(lower, reader.salt());
    if (!parsed) return find_by_beginning(reader, lower);
    auto group = reader.group(GroupId{parsed->number});
    // An id of another database also gives some number. Only the time of creation shows that the id is
    // foreign.
    const bool is_ours = group && group->created_at == parsed->created_at;
    if (!is_ours && (group || group.error().code == ErrorCode::not_found))
        return std::unexpected(crawl_not_found(id));
    return group;
}

std::string id_of(const Group& group, const store::Reader& reader) {
    return public_id(number(group.id), group.created_at, reader.salt());
}

bool nobody_works(const app::DataSource& place, store::Reader& reader, Timestamp since) {
    const auto owner = app::connect_to_owner(place);
    if (owner || owner.error().code != ErrorCode::not_found) return false;
    const auto workers = reader.workers();
    const auto now = std::chrono::system_clock::now();
    const auto lease = place.settings.duration("worker.lease");
    const auto works = [&](const store::WorkerInfo& worker) { return worker.beat_at > now - lease; };
    if (workers && place.store.is_shared() && std::ranges::any_of(*workers, works)) return false;
    // A worker that is still listed for a folder without an owner was killed.
    const bool was_killed = workers && !workers->empty();
    return was_killed || now - since > std::chrono::seconds(5);
}

Result<JobId> parse_job_id(const store::Reader& reader, std::string_view id) {
    const auto parsed = parse_public_id(lower_case(id), reader.salt());
    if (!parsed)
        return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" is no id. See quarry queue list", id));
    return JobId{parsed->number};
}

bool looks_like_id(std::string_view text) {
    const auto belongs = [](char c) {
        return is_ascii_digit(c) || c == '-' || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    };
    return text.size() >= 4 && text.size() <= 36 && std::ranges::all_of(text, belongs);
}

}  // namespace quarry::cli
