#include "work/web_search.h"

#include <fmt/format.h>

#include "base/ascii.h"

namespace quarry::work {

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
