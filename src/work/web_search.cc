#include "work/web_search.h"

#include <algorithm>
#include <optional>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "embed/answers.h"
#include "url/url.h"

namespace quarry::work {

namespace {

namespace json = boost::json;

constexpr std::size_t longest_url = 8'192, longest_title = 500, longest_description = 4'000;

// At most so many bytes, and no half character at the end.
std::string text_at(const json::object& object, std::string_view key, std::size_t most) {
    const json::value* value = object.if_contains(key);
    if (!value || !value->is_string()) return {};
    const std::string_view text = trimmed(std::string_view(value->get_string()));
    std::size_t end = std::min(text.size(), most);
    const auto is_inside = [&] { return (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80; };
    while (end > 0 && end < text.size() && is_inside()) --end;
    return std::string(text.substr(0, end));
}

std::optional<WebResult> read_result(const json::value& value) {
    const json::object* object = value.if_object();
    if (!object) return std::nullopt;
    const std::string address = text_at(*object, "url", longest_url);
    const auto url = url::Url::parse(address);
    if (!url || !url->is_http()) return std::nullopt;
    return WebResult{.url = url->without_credentials(),
                     .title = text_at(*object, "title", longest_title),
                     .description = text_at(*object, "content", longest_description)};
}

}  // namespace

Result<std::vector<WebResult>> parse_searxng_answer(std::string_view body, std::size_t limit) {
    const json::value answer = TRY(embed::parse_json_answer(body));
    const json::value* results = answer.is_object() ? answer.get_object().if_contains("results") : nullptr;
    if (!results || !results->is_array())
        return fail(ErrorCode::corrupt, "the answer has no list of results");
    std::vector<WebResult> found;
    for (const json::value& value : results->get_array()) {
        if (found.size() >= limit) break;
        auto result = read_result(value);
        if (result && std::ranges::find(found, result->url, &WebResult::url) == found.end())
            found.push_back(*std::move(result));
    }
    return found;
}

namespace {

// Everything but what stands for itself everywhere in a URL.
std::string escaped(std::string_view text) {
    constexpr std::string_view unreserved = "-._~";
    std::string out;
    for (const char c : text) {
        if (is_ascii_letter(c) || is_ascii_digit(c) || unreserved.contains(c))
            out += c;
        else
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

}  // namespace

Result<std::unique_ptr<WebSearch>> WebSearch::open(const WebSearchConfig& config, net::HttpClient& client) {
    constexpr std::uint64_t most_bytes = 8u << 20;
    // Who searches waits: one try.
    embed::Service service = TRY(embed::Service::open({.name = "SearXNG",
                                                       .url = config.url,
                                                       .timeout = config.timeout,
                                                       .max_answer_bytes = most_bytes,
                                                       .waits = {}},
                                                      client));
    return std::unique_ptr<WebSearch>(new WebSearch(std::move(service)));
}

Result<std::vector<WebResult>> WebSearch::search(const std::string& query, const std::string& language,
                                                 std::size_t limit, const std::stop_token& stop) {
    std::string path = "/search?format=json&q=" + escaped(query);
    if (!language.empty()) path += "&language=" + escaped(language);
    const auto response = TRY(service_.get(path, stop));
    if (response.status == 403)
        return fail(ErrorCode::refused, fmt::format("{} gives no JSON: add json to search.formats in its "
                                                    "settings.yml",
                                                    service_.name()));
    if (response.status != 200) return std::unexpected(service_.error_of(response.status, ""));
    auto results = parse_searxng_answer(response.body, limit);
    if (!results)
        return fail(results.error().code, fmt::format("{}: {}", service_.name(), results.error().message));
    return results;
}

}  // namespace quarry::work
