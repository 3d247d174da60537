#include "search/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace quarry::search {

namespace {

namespace json = boost::json;

// JSON holds text in UTF-8 and finite numbers only. An index never gives other numbers; a service might. The
// number is the shortest that is read back as the same.
json::value score_json(float score) {
    if (!std::isfinite(score)) return 0;
    return std::strtod(fmt::format("{}", score).c_str(), nullptr);
}

json::array texts_json(const std::vector<std::string>& texts) {
    return json::array(texts.begin(), texts.end());
}

json::object to_json(const Passage& passage) {
    json::array marks;
    for (const Snippet::Range& mark : passage.snippet.marks)
        marks.push_back(json::array{mark.begin, mark.end});
    return {{"text", passage.text},
            {"snippet", passage.snippet.text},
            {"marks", std::move(marks)},
            {"headings", texts_json(passage.headings)},
            {"score", score_json(passage.score)},
            {"chunk", passage.ref.index}};
}

json::object to_json(const Hit& hit) {
    json::object object{{"id", hit.label.id}, {"url", hit.label.url}, {"title", hit.label.title}};
    if (!hit.label.description.empty()) object["description"] = hit.label.description;
    object["score"] = score_json(hit.score);
    object["page"] = number(hit.page);
    json::array& passages = object["passages"].emplace_array();
    for (const Passage& passage : hit.passages) passages.push_back(to_json(passage));
    return object;
}

// Reading throws inside. The answer comes from quarry itself, so anything unexpected in it means one thing.
std::string text_at(const json::value& value, std::string_view name) {
    const json::value* member = value.as_object().if_contains(name);
    return member == nullptr ? std::string() : std::string(member->as_string());
}

std::vector<std::string> texts_at(const json::value& value, std::string_view name) {
    std::vector<std::string> texts;
    for (const json::value& text : value.at(name).as_array()) texts.emplace_back(text.as_string());
    return texts;
}

Snippet snippet_of(const json::value& value) {
    Snippet snippet{.text = text_at(value, "snippet")};
    std::uint32_t last = 0;
    for (const json::value& pair : value.at("marks").as_array()) {
        const auto begin = pair.at(0).to_number<std::uint32_t>(), end = pair.at(1).to_number<std::uint32_t>();
        // The caller that prints the snippet slices it by these marks.
        if (begin < last || end < begin || end > snippet.text.size()) throw std::out_of_range("marks");
        snippet.marks.push_back({begin, end});
        last = end;
    }
    return snippet;
}

Hit hit_of(const json::value& value) {
    Hit hit{.page = PageId{value.at("page").to_number<std::int64_t>()},
            .score = value.at("score").to_number<float>()};
    hit.label.id = text_at(value, "id");
    hit.label.url = text_at(value, "url");
    hit.label.title = text_at(value, "title");
    hit.label.description = text_at(value, "description");
    for (const json::value& passage : value.at("passages").as_array())
        hit.passages.push_back({.ref = {hit.page, passage.at("chunk").to_number<int>()},
                                .score = passage.at("score").to_number<float>(),
                                .headings = texts_at(passage, "headings"),
                                .text = text_at(passage, "text"),
                                .snippet = snippet_of(passage)});
    return hit;
}

}  // namespace

json::object to_json(const SearchAnswer& answer, const SearchRequest& request) {
    json::array hits;
    for (const Hit& hit : answer.hits) hits.push_back(to_json(hit));
    json::object object{{"query", request.query},
                        {"collection", request.collection},
                        {"mode", name_of(answer.mode)},
                        {"hits", std::move(hits)},
                        {"suggestions", texts_json(answer.suggestions)}};
    if (!answer.warning.empty()) object["warning"] = answer.warning;
    return object;
}

Result<SearchAnswer> parse_answer(const json::value& value) {
    try {
        SearchAnswer answer{.suggestions = texts_at(value, "suggestions"),
                            .warning = text_at(value, "warning")};
        answer.mode = TRY(parse_mode(text_at(value, "mode")));
        for (const json::value& hit : value.at("hits").as_array()) answer.hits.push_back(hit_of(hit));
        return answer;
    } catch (const std::exception&) {
        return fail(ErrorCode::corrupt, "the answer to a search is not what quarry writes");
    }
}

json::object batch_line(const std::string& query_id, const SearchAnswer& answer) {
    json::array hits;
    for (const Hit& hit : answer.hits)
        hits.push_back({{"id", hit.label.id}, {"url", hit.label.url}, {"score", score_json(hit.score)}});
    return {{"id", query_id}, {"hits", std::move(hits)}};
}

namespace {

namespace json = boost::json;

constexpr std::array<std::pair<std::string_view, Mode>, 3> modes{
    {{"hybrid", Mode::hybrid}, {"keyword", Mode::keyword}, {"vector", Mode::vector}}};

// Reads members into fields, and remembers the first member of a wrong type.
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
    std::vector<std::string_view> names_;  // of the known members
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
