#include <algorithm>
#include <array>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "search/json.h"

namespace quarry::search {
namespace {

namespace json = boost::json;

constexpr std::array<std::pair<std::string_view, Mode>, 3> modes{
    {{"hybrid", Mode::hybrid}, {"keyword", Mode::keyword}, {"vector", Mode::vector}}};

// Reads members into fields and remembers the first that is of a wrong kind.
class Members {
public:
    explicit Members(const json::object& object) : object_(object) {}

    void read(std::string_view name, std::string& field) {
        const json::value* value = find(name);
        if (value == nullptr) return;
        if (value->is_string())
            field = value->get_string();
        else
            note(name, "a text");
    }
    void read(std::string_view name, bool& field) {
        const json::value* value = find(name);
        if (value == nullptr) return;
        if (value->is_bool())
            field = value->get_bool();
        else
            note(name, "true or false");
    }
    void read(std::string_view name, int& field, int least, int most) {
        const json::value* value = find(name);
        if (value == nullptr) return;
        boost::system::error_code error;
        field = value->to_number<int>(error);
        if (error || field < least || field > most)
            note(name, fmt::format("a whole number from {} to {}", least, most));
    }
    void read(std::string_view name, std::optional<Timestamp>& field) {
        const json::value* value = find(name);
        if (value == nullptr) return;
        boost::system::error_code error;
        field = Timestamp(std::chrono::milliseconds(value->to_number<std::int64_t>(error)));
        if (error) note(name, "a whole number of milliseconds");
    }

    Result<void> finish() const {
        if (!wrong_.empty()) return fail(ErrorCode::invalid_argument, wrong_);
        for (const auto& member : object_)
            if (std::ranges::find(names_, std::string_view(member.key())) == names_.end())
                return fail(
                    ErrorCode::invalid_argument,
                    fmt::format("a search has no \"{}\"; there are: {}",
                                std::string_view(member.key()).substr(0, 40), fmt::join(names_, ", ")));
        return {};
    }

private:
    const json::value* find(std::string_view name) {
        names_.push_back(name);
        return object_.if_contains(name);
    }
    void note(std::string_view name, std::string_view wanted) {
        if (wrong_.empty()) wrong_ = fmt::format("\"{}\" of a search must be {}", name, wanted);
    }

    const json::object& object_;
    std::vector<std::string_view> names_;  // that there are
    std::string wrong_;
};

void add_text(json::object& object, std::string_view name, const std::string& text) {
    if (!text.empty()) object[name] = text;
}

}  // namespace

std::string_view name_of(Mode mode) {
    for (const auto& [name, value] : modes)
        if (value == mode) return name;
    return "hybrid";
}

Result<Mode> parse_mode(std::string_view name) {
    for (const auto& [known, mode] : modes)
        if (known == name) return mode;
    return fail(ErrorCode::invalid_argument,
                fmt::format("a search is hybrid, keyword or vector, not \"{}\"", name));
}

json::object to_json(const SearchRequest& request) {
    json::object object{{"query", request.query},        {"collection", request.collection},
                        {"limit", request.limit},        {"offset", request.offset},
                        {"mode", name_of(request.mode)}, {"all_chunks", request.all_chunks},
                        {"passages", request.passages},  {"context", request.context},
                        {"rerank", request.rerank},      {"plain", request.syntax == Syntax::plain}};
    const index::Filter& filter = request.filter;
    add_text(object, "host", filter.host);
    add_text(object, "path", filter.path_prefix);
    add_text(object, "language", filter.language);
    if (filter.since) object["since"] = filter.since->time_since_epoch().count();
    if (filter.until) object["until"] = filter.until->time_since_epoch().count();
    return object;
}

Result<SearchRequest> parse_request(const json::value& value) {
    if (!value.is_object()) return fail(ErrorCode::invalid_argument, "a search must be an object");
    SearchRequest request;
    std::string mode = "hybrid";
    bool plain = false;
    Members members(value.get_object());
    members.read("query", request.query);
    members.read("collection", request.collection);
    members.read("limit", request.limit, 1, 10'000);
    members.read("offset", request.offset, 0, 10'000);
    members.read("mode", mode);
    members.read("all_chunks", request.all_chunks);
    members.read("passages", request.passages, 0, 100);
    members.read("context", request.context, 0, 20);
    members.read("rerank", request.rerank);
    members.read("plain", plain);
    members.read("host", request.filter.host);
    members.read("path", request.filter.path_prefix);
    members.read("language", request.filter.language);
    members.read("since", request.filter.since);
    members.read("until", request.filter.until);
    TRY(members.finish());
    request.mode = TRY(parse_mode(mode));
    if (plain) request.syntax = Syntax::plain;
    return request;
}

}  // namespace quarry::search
