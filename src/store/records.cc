#include "store/filter_json.h"

#include <algorithm>
#include <array>
#include <span>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace quarry::store {
namespace {

namespace json = boost::json;

Result<std::optional<std::int64_t>> filter_number(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    if (!value) return std::nullopt;
    if (value->is_int64()) return value->get_int64();
    return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" has to be a whole number", name));
}

Result<std::vector<JobState>> parse_states(const json::object& object) {
    std::vector<JobState> states;
    const json::value* list = object.if_contains("states");
    if (!list) return states;
    if (!list->is_array()) return fail(ErrorCode::invalid_argument, "\"states\" has to be a list");
    for (const json::value& item : list->get_array()) {
        if (!item.is_string()) return fail(ErrorCode::invalid_argument, "a state is a word");
        states.push_back(TRY(parse_embedding_state(std::string_view(item.get_string()))));
    }
    return states;
}

Result<std::vector<JobId>> parse_ids(const json::object& object) {
    std::vector<JobId> ids;
    const json::value* list = object.if_contains("ids");
    if (!list) return ids;
    if (!list->is_array()) return fail(ErrorCode::invalid_argument, "\"ids\" has to be a list");
    for (const json::value& item : list->get_array()) {
        if (!item.is_int64()) return fail(ErrorCode::invalid_argument, "an id is a number");
        ids.push_back(JobId{item.get_int64()});
    }
    return ids;
}

// A field that is not understood would widen the filter: a newer command's `clear` must not empty all.
Result<void> check_names(const json::value& json, std::span<const std::string_view> known) {
    const json::object* object = json.if_object();
    if (!object) return fail(ErrorCode::invalid_argument, "a filter is an object");
    for (const auto& member : *object)
        if (std::ranges::find(known, std::string_view(member.key())) == known.end())
            return fail(ErrorCode::invalid_argument,
                        fmt::format("cannot filter by \"{}\"", std::string_view(member.key())));
    return {};
}

Result<std::string> filter_text(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    if (!value) return std::string();
    if (value->is_string()) return std::string(value->get_string());
    return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" has to be a text", name));
}

Result<std::vector<std::string>> parse_urls(const json::object& object) {
    std::vector<std::string> urls;
    const json::value* list = object.if_contains("urls");
    if (!list) return urls;
    if (!list->is_array()) return fail(ErrorCode::invalid_argument, "\"urls\" has to be a list");
    for (const json::value& url : list->get_array()) {
        if (!url.is_string()) return fail(ErrorCode::invalid_argument, "\"urls\" has to be a list of texts");
        urls.emplace_back(url.get_string());
    }
    return urls;
}

}  // namespace

json::object to_json(const JobFilter& filter) {
    json::object object;
    json::array ids, states;
    for (const JobId id : filter.ids) ids.push_back(number(id));
    for (const JobState state : filter.states) states.push_back(json::value(name_of(state)));
    if (!ids.empty()) object["ids"] = std::move(ids);
    if (filter.group) object["group"] = number(*filter.group);
    if (!filter.kind.empty()) object["kind"] = filter.kind;
    if (!states.empty()) object["states"] = std::move(states);
    if (!filter.owner.empty()) object["owner"] = filter.owner;
    if (!filter.collection.empty()) object["collection"] = filter.collection;
    if (filter.older_than) object["older_than"] = filter.older_than->count();
    return object;
}

Result<JobFilter> parse_job_filter(const json::value& json) {
    constexpr std::array<std::string_view, 7> known = {"ids",   "group",      "kind",      "states",
                                                       "owner", "collection", "older_than"};
    TRY(check_names(json, known));
    const json::object& object = json.get_object();
    JobFilter filter;
    filter.ids = TRY(parse_ids(object));
    filter.kind = TRY(filter_text(object, "kind"));
    filter.states = TRY(parse_states(object));
    filter.owner = TRY(filter_text(object, "owner"));
    filter.collection = TRY(filter_text(object, "collection"));
    if (const auto group = TRY(filter_number(object, "group"))) filter.group = GroupId{*group};
    if (const auto age = TRY(filter_number(object, "older_than")))
        filter.older_than = std::chrono::milliseconds(*age);
    return filter;
}

json::object to_json(const PageFilter& filter) {
    json::object object;
    const auto add = [&](std::string_view name, const std::string& text) {
        if (!text.empty()) object[name] = text;
    };
    add("collection", filter.collection);
    add("host", filter.host);
    add("path_prefix", filter.path_prefix);
    add("site", filter.site);
    if (!filter.urls.empty()) object["urls"] = json::array(filter.urls.begin(), filter.urls.end());
    if (filter.group) object["group"] = number(*filter.group);
    return object;
}

Result<PageFilter> parse_page_filter(const json::value& json) {
    constexpr std::array<std::string_view, 6> known = {"collection",  "urls", "host",
                                                       "path_prefix", "site", "group"};
    TRY(check_names(json, known));
    const json::object& object = json.get_object();
    PageFilter filter;
    filter.collection = TRY(filter_text(object, "collection"));
    filter.urls = TRY(parse_urls(object));
    filter.host = TRY(filter_text(object, "host"));
    filter.path_prefix = TRY(filter_text(object, "path_prefix"));
    filter.site = TRY(filter_text(object, "site"));
    if (const auto group = TRY(filter_number(object, "group"))) filter.group = GroupId{*group};
    return filter;
}

}  // namespace quarry::store
