#include "index/qdrant/service.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <thread>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "net/http_message.h"

namespace quarry::index {

namespace {

namespace json = boost::json;

constexpr std::size_t deepest = 16;
constexpr std::size_t most_error_bytes = 64 * 1024;

std::unexpected<Error> corrupt(const char* what) {
    return fail(ErrorCode::corrupt, what);
}

Result<json::value> parse(std::string_view body) {
    json::parse_options options;
    options.max_depth = deepest;
    json::error_code error;
    json::value value = json::parse(body, error, {}, options);
    if (error) return corrupt("the answer is not JSON");
    return value;
}

const json::value* member(const json::value& value, std::string_view key) {
    const json::object* object = value.if_object();
    return object != nullptr ? object->if_contains(key) : nullptr;
}

Result<std::vector<float>> read_vector(const json::value& value) {
    if (!value.is_array()) return corrupt("the answer has a vector that is no list");
    std::vector<float> vector;
    vector.reserve(value.get_array().size());
    for (const json::value& number : value.get_array()) {
        json::error_code error;
        vector.push_back(number.is_number() ? static_cast<float>(number.to_number<double>(error)) : NAN);
        if (error || !std::isfinite(vector.back()))
            return corrupt("the answer has a vector of something else than numbers");
    }
    return vector;
}

Result<QdrantPoint> read_point(const json::value& value) {
    const json::value* id = member(value, "id");
    if (id == nullptr || !id->is_string()) return corrupt("the answer has a point without its id");
    QdrantPoint point{.id = std::string(id->get_string())};
    if (const json::value* payload = member(value, "payload"); payload != nullptr && payload->is_object())
        point.payload = payload->get_object();
    if (const json::value* vectors = member(value, "vector"); vectors != nullptr)
        if (const json::value* dense = member(*vectors, "dense"); dense != nullptr)
            point.dense = TRY(read_vector(*dense));
    return point;
}

}  // namespace

Result<json::value> qdrant_result(std::string_view body) {
    json::value answer = TRY(parse(body));
    json::object* object = answer.if_object();
    json::value* result = object != nullptr ? object->if_contains("result") : nullptr;
    if (result == nullptr) return corrupt("the answer has no result");
    return std::move(*result);
}

std::string qdrant_error(std::string_view body) {
    const auto answer = parse(body);
    const json::value* status = answer ? member(*answer, "status") : nullptr;
    const json::value* error = status != nullptr ? member(*status, "error") : nullptr;
    if (error != nullptr && error->is_string()) return std::string(error->get_string());
    return std::string(body.substr(0, most_error_bytes));
}

Result<std::vector<QdrantPoint>> read_found(const json::value& result) {
    const json::value* points = member(result, "points");
    if (points == nullptr || !points->is_array()) return corrupt("the answer has no list of points");
    std::vector<QdrantPoint> found;
    found.reserve(points->get_array().size());
    for (const json::value& value : points->get_array()) {
        found.push_back(TRY(read_point(value)));
        const json::value* score = member(value, "score");
        json::error_code error;
        const double number = score != nullptr && score->is_number() ? score->to_number<double>(error) : NAN;
        found.back().score = static_cast<float>(number);
        if (error || !std::isfinite(found.back().score))
            return corrupt("the answer has a score that is no number");
    }
    return found;
}

Result<std::vector<QdrantPoint>> read_records(const json::value& result) {
    if (!result.is_array()) return corrupt("the answer has no list of points");
    std::vector<QdrantPoint> records;
    records.reserve(result.get_array().size());
    for (const json::value& value : result.get_array()) records.push_back(TRY(read_point(value)));
    return records;
}

Result<std::int64_t> read_count(const json::value& result) {
    const json::value* count = member(result, "count");
    if (count == nullptr || !count->is_int64() || count->get_int64() < 0)
        return corrupt("the answer has no count");
    return count->get_int64();
}

Result<std::vector<std::string>> read_collection_names(const json::value& result) {
    const json::value* list = member(result, "collections");
    if (list == nullptr || !list->is_array()) return corrupt("the answer has no list of collections");
    std::vector<std::string> names;
    for (const json::value& value : list->get_array()) {
        const json::value* name = member(value, "name");
        if (name == nullptr || !name->is_string())
            return corrupt("the answer has a collection without a name");
        names.emplace_back(name->get_string());
    }
    return names;
}

Result<bool> read_completed(const json::value& result) {
    const json::value* status = member(result, "status");
    if (status == nullptr || !status->is_string())
        return corrupt("the answer does not say whether it is done");
    return status->get_string() == "completed";
}

namespace {

namespace json = boost::json;
using net::HttpMethod;
using std::chrono::milliseconds;

constexpr std::size_t most_words = 300;
constexpr milliseconds longest_readable_wait = std::chrono::hours(24);

bool is_worth_another_try(int status) {
    return status == 408 || status == 429 || status >= 500;
}

milliseconds retry_after(const std::vector<Header>& headers) {
    const std::string_view value = net::trimmed(header_value(headers, "Retry-After"));
    if (!net::is_all_digits(value)) return milliseconds(0);
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (error != std::errc() || seconds > longest_readable_wait / std::chrono::seconds(1))
        return longest_readable_wait;
    return std::chrono::seconds(seconds);
}

// Makes a text fit to stand in a sentence: one line of ASCII, bounded, without the key.
std::string in_a_sentence(std::string words, std::string_view key) {
    for (auto at = key.empty() ? words.npos : words.find(key); at != words.npos; at = words.find(key, at))
        words.replace(at, key.size(), std::string_view("[key]"));
    words.resize(std::min(words.size(), most_words));
    for (char& c : words)
        if (c < 0x20 || c == 0x7F) c = ' ';
    return std::string(net::trimmed(words));
}

Timestamp now_by_the_system() {
    return std::chrono::time_point_cast<milliseconds>(std::chrono::system_clock::now());
}

ErrorCode code_for_callers(ErrorCode code) {
    switch (code) {
        case ErrorCode::not_found:  // the server's name, not what it was asked for
        case ErrorCode::conflict: return ErrorCode::unavailable;
        case ErrorCode::too_large: return ErrorCode::corrupt;
        default: return code;
    }
}

ErrorCode code_of(int status) {
    switch (status) {
        case 401:
        case 403: return ErrorCode::refused;
        case 404: return ErrorCode::not_found;
        case 409: return ErrorCode::conflict;
        default: return is_worth_another_try(status) ? ErrorCode::unavailable : ErrorCode::invalid_argument;
    }
}

}  // namespace

Result<QdrantService> QdrantService::open(QdrantConfig config, net::HttpClient& client) {
    const auto url = url::Url::parse(config.url);
    if (!url || !url->is_http() || url->query() || url->fragment() || !url->username().empty())
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("\"{}\" is no address of Qdrant: write it like http://127.0.0.1:6333",
                        url ? url->without_credentials() : in_a_sentence(config.url, config.api_key)));
    std::string base = url->without_credentials();
    while (base.ends_with('/')) base.pop_back();
    if (!config.wait) config.wait = [](milliseconds duration) { std::this_thread::sleep_for(duration); };
    if (!config.now) config.now = now_by_the_system;
    return QdrantService(std::move(config), std::move(base), client);
}

QdrantService::QdrantService(QdrantConfig config, std::string base, net::HttpClient& client)
    : config_(std::move(config)),
      base_(std::move(base)),
      name_(fmt::format("Qdrant at {}", base_)),
      client_(&client) {}

Result<json::value> QdrantService::get(std::string_view path) const {
    return call(HttpMethod::get, path, {});
}

Result<json::value> QdrantService::post(std::string_view path, const json::object& body) const {
    return call(HttpMethod::post, path, json::serialize(body));
}

Result<json::value> QdrantService::put(std::string_view path, const json::object& body) const {
    return call(HttpMethod::put, path, json::serialize(body));
}

Result<json::value> QdrantService::remove(std::string_view path) const {
    return call(HttpMethod::delete_, path, {});
}

Result<void> QdrantService::change(HttpMethod method, std::string_view path, std::string body) const {
    const json::value result = TRY(call(method, fmt::format("{}?wait=true", path), std::move(body)));
    // The change will take effect, but the next write must not overtake it.
    if (!TRY(read_completed(result)))
        return fail(ErrorCode::unavailable, fmt::format("{} has not completed a change in time", name_));
    return {};
}

net::HttpRequest QdrantService::request_for(HttpMethod method, const url::Url& url, std::string body) const {
    net::HttpRequest request{.url = url, .method = method, .body = std::move(body)};
    request.headers.push_back({"Accept", "application/json"});
    if (method == HttpMethod::post || method == HttpMethod::put)
        request.headers.push_back({"Content-Type", "application/json"});
    if (!config_.api_key.empty()) request.headers.push_back({"api-key", config_.api_key});
    // The settings named this address; no page did.
    request.policy.allow_private = true;
    request.limits.timeout = config_.timeout;
    request.limits.connect_timeout = config_.connect_timeout;
    return request;
}

Error QdrantService::error_of(const net::HttpResponse& response) const {
    const std::string said = in_a_sentence(qdrant_error(response.body), config_.api_key);
    const std::string tail = said.empty() ? "" : ": " + said;
    const ErrorCode code = code_of(response.status);
    if (code == ErrorCode::refused)
        return {code, fmt::format("{} refused the key ({}{}): set {}", name_, response.status, tail,
                                  config_.key_setting)};
    return {code, fmt::format("{} answered {}{}", name_, response.status, tail)};
}

Result<json::value> QdrantService::call(HttpMethod method, std::string_view path, std::string body) const {
    const url::Url url = TRY(url::Url::parse(base_ + std::string(path)));
    const auto response = TRY(send(request_for(method, url, std::move(body))));
    if (response.status != 200 && response.status != 202) return std::unexpected(error_of(response));
    auto result = qdrant_result(response.body);
    if (!result) return fail(result.error().code, fmt::format("{}: {}", name_, result.error().message));
    return result;
}

Result<net::HttpResponse> QdrantService::send(const net::HttpRequest& request) const {
    for (std::size_t waited = 0;; ++waited) {
        const auto began = std::chrono::steady_clock::now();
        auto response = client_->perform(request);
        if (response && !is_worth_another_try(response->status)) return response;
        const milliseconds asked = response ? retry_after(response->headers) : milliseconds(0);
        const bool has_time_left = std::chrono::steady_clock::now() - began < config_.timeout;
        Error error = response ? error_of(*response)
                               : Error{code_for_callers(response.error().code),
                                       fmt::format("{}: {}", name_, response.error().message)};
        const bool is_final =
            error.code != ErrorCode::unavailable && !(error.code == ErrorCode::timeout && has_time_left);
        if (is_final || waited == config_.waits.size()) return std::unexpected(std::move(error));
        const milliseconds wait = std::max(config_.waits[waited], asked);
        if (wait > config_.longest_wait) return std::unexpected(std::move(error));
        config_.wait(wait);
    }
}

}  // namespace quarry::index
