#include "app/remote/api.h"

#include <thread>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "api/own/routes.h"
#include "api/server/message.h"
#include "base/ascii.h"
#include "base/units.h"
#include "model/json/fields.h"
#include "url/url.h"

namespace quarry::app {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using net::HttpMethod;

constexpr auto restart_patience = 30s;
constexpr auto limit_patience = 120s;  // longer than the minute that requests are counted by
constexpr auto retry_every = 250ms;
constexpr std::uint64_t largest_answer = 512u << 20;

constexpr const char* way_to_a_key =
    "Give one in a file with --api-key-file, or in QUARRY_API_KEY or FIRECRAWL_API_KEY";

// The code that a server named, by api::name_of.
ErrorCode code_of(std::string_view name, int status) {
    for (int code = 0; code <= static_cast<int>(ErrorCode::exhausted); ++code)
        if (api::name_of(static_cast<ErrorCode>(code)) == name) return static_cast<ErrorCode>(code);
    return status >= 500 ? ErrorCode::unavailable : ErrorCode::invalid_argument;
}

Result<json::value> parse_json(const std::string& text) {
    json::parse_options options;
    options.max_depth = 64;
    // Words of pages are what they are.
    options.allow_invalid_utf8 = true;
    json::error_code error;
    json::value value = json::parse(text, error, {}, options);
    if (error) return fail(ErrorCode::corrupt, "the server's answer is no JSON");
    return value;
}

// A server that is busy, or has been asked too often, says when to come again.
std::chrono::milliseconds pause_before_retry(const net::HttpResponse& response) {
    const auto seconds = parse_number(header_value(response.headers, "retry-after"), 0, 60);
    return seconds ? std::chrono::seconds(*seconds) : std::chrono::milliseconds(retry_every);
}

std::string key_in(const Settings& settings) {
    const std::string key = settings.text("remote.key");
    if (!key.empty()) return key;
    const auto environment = process_environment();
    const auto found = environment.find("FIRECRAWL_API_KEY");
    return found == environment.end() ? "" : found->second;
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool is_plain = is_ascii_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              c == '-' || c == '.' || c == '_' || c == '~';
        if (is_plain)
            out += c;
        else
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

Result<std::shared_ptr<RemoteApi>> RemoteApi::connect(const Settings& settings) {
    const std::string named = settings.text("remote.url");
    if (named.empty()) return nullptr;
    const auto url = url::parse_page_address(named);
    // What is asked of it has parameters of its own.
    if (!url || url->query() || url->fragment())
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" is no address of a server: try http://127.0.0.1:3002",
                                settings.masked("remote.url")));
    std::shared_ptr<RemoteApi> remote(new RemoteApi());
    remote->url_ = url->without_credentials();
    while (remote->url_.ends_with('/')) remote->url_.pop_back();
    remote->key_ = key_in(settings);
    remote->client_ = TRY(net::HttpClient::open({.user_agent = settings.text("fetch.user_agent"),
                                                 .ca_file = settings.text("fetch.ca_file"),
                                                 .max_bytes_in_flight = 2 * largest_answer}));
    TRY(remote->greet());
    return remote;
}

Result<void> RemoteApi::greet() {
    const auto response = ask(HttpMethod::get, "/api/v1/server", "");
    if (!response)
        return fail(ErrorCode::unavailable,
                    fmt::format("cannot reach the server at {}: {}. Is `quarry serve` running there?", url_,
                                response.error().message));
    if (response->status == 401 || response->status == 403) return std::unexpected(read(*response).error());
    const auto hello = parse_json(response->body);
    if (response->status != 200 || !hello || text_in(*hello, "name") != "quarry")
        return fail(ErrorCode::unsupported,
                    fmt::format("{} answers, but it is no quarry server (HTTP {}). Name one with --server",
                                url_, response->status));
    const json::value* number = hello->get_object().if_contains("api");
    if (!number || !number->is_int64() || number->get_int64() != api::own::api_number)
        return fail(ErrorCode::unsupported,
                    fmt::format("the server at {} is quarry {}, which this one cannot talk to: use the same "
                                "version at both ends",
                                url_, text_in(*hello, "version")));
    salt_ = parse_hex(text_in(*hello, "salt")).value_or(0);
    return {};
}

Result<net::HttpResponse> RemoteApi::ask(HttpMethod method, const std::string& target, std::string body) {
    const auto url = url::Url::parse(url_ + target);
    if (!url) return fail(ErrorCode::invalid_argument, "this cannot be asked of a server");
    net::HttpRequest request{.url = *url, .method = method, .body = std::move(body)};
    if (!key_.empty()) request.headers.push_back({"Authorization", "Bearer " + key_});
    if (!request.body.empty()) request.headers.push_back({"Content-Type", "application/json"});
    // Its user named it; a page of the web did not.
    request.policy.allow_private = true;
    request.limits.timeout = 1h;
    request.limits.body_bytes = largest_answer;
    return client_->perform(std::move(request));
}

Result<json::value> RemoteApi::get(const std::string& target) {
    const auto started = std::chrono::steady_clock::now();
    while (true) {
        const auto response = ask(HttpMethod::get, target, "");
        const bool is_limited = response && response->status == 429;
        const bool is_away =
            response ? response->status == 503 : response.error().code == ErrorCode::unavailable;
        const auto waited = std::chrono::steady_clock::now() - started;
        if ((!is_away && !is_limited) || waited > (is_limited ? limit_patience : restart_patience))
            return response ? read(*response) : std::unexpected(silence(response.error()));
        std::this_thread::sleep_for(response ? pause_before_retry(*response) : retry_every);
    }
}

Result<json::value> RemoteApi::send(HttpMethod method, const std::string& target, const json::object& body) {
    const auto response = ask(method, target, method == HttpMethod::delete_ ? "" : json::serialize(body));
    if (!response) return std::unexpected(silence(response.error()));
    return read(*response);
}

Error RemoteApi::silence(const Error& error) const {
    return {error.code, fmt::format("the server at {} does not answer: {}", url_, error.message)};
}

Error RemoteApi::refusal(int status, std::string_view sentence) const {
    if (status == 401 && key_.empty())
        return {ErrorCode::refused, fmt::format("the server at {} wants a key. {}", url_, way_to_a_key)};
    if (status == 401)
        return {ErrorCode::refused,
                fmt::format("the server at {} does not take this key. {}", url_, way_to_a_key)};
    if (!sentence.empty()) return {ErrorCode::refused, std::string(sentence)};
    return {ErrorCode::unavailable, fmt::format("the server at {} answered HTTP {}", url_, status)};
}

Result<json::value> RemoteApi::read(const net::HttpResponse& response) const {
    auto value = parse_json(response.body);
    if (response.status == 200) return value;
    const std::string sentence = value ? text_in(*value, "error") : "";
    if (response.status == 401 || sentence.empty())
        return std::unexpected(refusal(response.status, sentence));
    return fail(code_of(text_in(*value, "code"), response.status), sentence);
}

}  // namespace quarry::app
