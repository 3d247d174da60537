// `quarry keys`: who may use `quarry serve`, and how much.
#include <random>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "api/admission.h"
#include "app/data_source.h"
#include "base/sha256.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "model/collection.h"
#include "model/json/fields.h"
#include "model/json/output.h"

namespace quarry::cli {
namespace {

namespace json = boost::json;

struct KeyArguments {
    std::string owner{local_owner};
    std::string name{};
    std::int64_t id = 0;
    std::optional<std::int64_t> requests{}, pages{}, crawls{};
    std::string storage{};

    bool has_limits() const { return requests || pages || crawls || !storage.empty(); }
};

// As clients of Firecrawl expect a key to begin, with 256 bits that nobody guesses.
std::string new_key() {
    std::random_device random;
    std::array<std::uint8_t, 32> bytes{};
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return "fc-" + hex_of(bytes);
}

Result<store::OwnerLimits> limits_of(const app::DataSource& place, const std::string& owner) {
    const store::OwnerLimits standard{.running_groups =
                                          static_cast<int>(place.settings.number("crawl.max_active"))};
    const auto reader = app::open_reader(place);
    if (!reader && reader.error().code == ErrorCode::not_found) return standard;
    if (!reader) return std::unexpected(reader.error());
    return TRY((*reader)->limits(owner)).value_or(standard);
}

Result<void> set_limits(const app::DataSource& place, const KeyArguments& arguments) {
    const auto now = TRY(limits_of(place, arguments.owner));
    const std::int64_t storage = arguments.storage.empty()
                                     ? now.stored_bytes
                                     : static_cast<std::int64_t>(TRY(parse_bytes(arguments.storage)));
    TRY(app::ask(place, "set_limits",
                 {{"owner", arguments.owner},
                  {"crawls", arguments.crawls.value_or(now.running_groups)},
                  {"jobs", now.running_jobs},
                  {"open_jobs", now.open_jobs},
                  {"requests_per_minute", arguments.requests.value_or(now.requests_per_minute)},
                  {"pages_per_month", arguments.pages.value_or(now.pages_per_month)},
                  {"stored_bytes", storage}}));
    return {};
}

Result<std::int64_t> add_key(const app::DataSource& place, const KeyArguments& arguments,
                             const std::string& key) {
    constexpr std::size_t hint_length = 7;
    const auto asked = TRY(app::ask(place, "add_key",
                                    {{"owner", arguments.owner},
                                     {"name", arguments.name},
                                     {"hint", key.substr(0, hint_length)},
                                     {"hash", hex_of(api::hash_of_key(key))}}));
    if (arguments.has_limits()) TRY(set_limits(place, arguments));
    return answered_number(asked.answer, "id");
}

int create(const CommandContext& session, const app::DataSource& place, const KeyArguments& arguments) {
    const std::string key = new_key();
    const auto id = add_key(place, arguments, key);
    if (!id) return give_up(session, id.error());
    if (session.json) {
        write_data(json::serialize(json::object{{"success", true},
                                                {"data",
                                                 {{"id", *id},
                                                  {"owner", arguments.owner},
                                                  {"ownerId", owner_uuid(arguments.owner)},
                                                  {"name", arguments.name},
                                                  {"key", key}}}}) +
                   "\n");
        return exit_success;
    }
    write_data(key + "\n");
    say(fmt::format("This is key {} of {}. It is not shown again: keep it where only its user reads it", *id,
                    arguments.owner));
    return exit_success;
}

json::object record_of(const ApiKey& key) {
    return {{"id", key.id},
            {"owner", key.owner},
            {"ownerId", owner_uuid(key.owner)},
            {"name", key.name},
            {"begins", key.hint},
            {"createdAt", iso_time(key.created_at)},
            {"revokedAt", key.revoked_at ? json::value(iso_time(*key.revoked_at)) : json::value()}};
}

std::string line_of(const ApiKey& key) {
    return fmt::format("{:<6}  {:<10}  {:<16}  {}  {:<8}  {}\n", key.id, key.hint + "…", key.owner,
                       iso_time(key.created_at), key.revoked_at ? "revoked" : "valid", key.name);
}

int list_keys(const CommandContext& session, const app::DataSource& place) {
    const auto reader = app::open_reader(place);
    const bool is_empty = !reader && reader.error().code == ErrorCode::not_found;
    const auto keys = reader     ? (*reader)->keys()
                      : is_empty ? Result<std::vector<ApiKey>>(std::vector<ApiKey>{})
                                 : std::unexpected(reader.error());
    if (!keys) return give_up(session, keys.error());
    json::array records;
    std::string lines;
    for (const ApiKey& key : *keys) {
        records.push_back(record_of(key));
        lines += line_of(key);
    }
    write_data(session.json ? json::serialize(records) + "\n" : lines);
    if (keys->empty()) say("There are no keys: the server answers on this machine alone, without one");
    return exit_success;
}

int revoke(const CommandContext& session, const app::DataSource& place, std::int64_t id) {
    const auto asked = app::ask(place, "revoke_key", {{"id", id}});
    if (!asked) return give_up(session, asked.error());
    const auto revoked = answered_flag(asked->answer, "revoked");
    if (!revoked) return give_up(session, revoked.error());
    if (session.json) write_data(json::serialize(json::object{{"success", *revoked}}) + "\n");
    say(*revoked ? fmt::format("Key {} opens nothing any more", id)
                 : fmt::format("There is no valid key {}. See quarry keys list", id));
    return *revoked ? exit_success : exit_incomplete;
}

std::string in_words(std::int64_t limit) {
    return limit > 0 ? std::to_string(limit) : "any number";
}

int limit(const CommandContext& session, const app::DataSource& place, const KeyArguments& arguments) {
    if (arguments.has_limits())
        if (const auto set = set_limits(place, arguments); !set) return give_up(session, set.error());
    const auto limits = limits_of(place, arguments.owner);
    if (!limits) return give_up(session, limits.error());
    if (session.json) {
        write_data(json::serialize(json::object{{"owner", arguments.owner},
                                                {"requestsPerMinute", limits->requests_per_minute},
                                                {"pagesPerMonth", limits->pages_per_month},
                                                {"storedBytes", limits->stored_bytes},
                                                {"crawls", limits->running_groups}}) +
                   "\n");
        return exit_success;
    }
    const auto stored = static_cast<std::uint64_t>(limits->stored_bytes);
    write_data(
        fmt::format("{}: {} requests a minute, {} pages in 30 days, {} of pages kept, {} crawls at once\n",
                    arguments.owner, in_words(limits->requests_per_minute), in_words(limits->pages_per_month),
                    stored > 0 ? format_bytes(stored) : "any amount", limits->running_groups));
    return exit_success;
}

void add_limit_options(Parser& parser, KeyArguments& arguments) {
    constexpr std::int64_t most = 1'000'000'000;
    parser.add_option("--requests-per-minute", arguments.requests, "0: as many as they like")
        .between(0, most);
    parser.add_option("--pages-per-month", arguments.pages, "Pages in any 30 days; 0: as many as they like")
        .between(0, most);
    parser.add_option("--storage", arguments.storage, "Size of all pages they keep, such as 5GB; 0: any")
        .check([](const std::string& text) {
            const auto size = parse_bytes(text);
            return size ? "" : size.error().message;
        });
    parser.add_option("--crawls", arguments.crawls, "Crawls at once").between(1, 1'000);
}

std::string owner_error(const std::string& name) {
    return is_owner_name(name) ? "" : "an owner's name has letters, digits and ._@- only";
}

}  // namespace

Command add_keys(CommandBuilder& builder) {
    Parser& parser =
        builder.add("keys", "Who may use quarry serve, and how much",
                    "quarry keys create --owner team-a --name laptop\n"
                    "quarry keys create --owner team-b --pages-per-month 10000 --requests-per-minute 600\n"
                    "quarry keys limits team-a --crawls 5 --storage 5GB\n"
                    "quarry keys revoke 12");
    const auto arguments = std::make_shared<KeyArguments>();
    Parser& created = parser.add_command("create", "Make a key; it is shown once");
    created.add_option("--owner", arguments->owner, "Whose crawls and pages it opens (local: this machine's)")
        .check(owner_error);
    created.add_option("--name", arguments->name, "What it is for");
    add_limit_options(created, *arguments);
    parser.add_command("list", "All keys, without what is secret of them");
    Parser& revoked = parser.add_command("revoke", "End a key");
    revoked.add_option("id", arguments->id, "Its number, as list shows it").required();
    Parser& limited = parser.add_command("limits", "Show or set what an owner may");
    limited.add_option("owner", arguments->owner, "Whose").required().check(owner_error);
    add_limit_options(limited, *arguments);
    parser.require_command();
    return {&parser, [arguments, &parser](const CommandContext& session) {
                const auto place = place_of(session);
                if (!place) return give_up(session, place.error());
                if (parser.chose("create")) return create(session, *place, *arguments);
                if (parser.chose("revoke")) return revoke(session, *place, arguments->id);
                if (parser.chose("limits")) return limit(session, *place, *arguments);
                return list_keys(session, *place);
            }};
}

}  // namespace quarry::cli
