#include "app/remote/store.h"

#include <algorithm>
#include <thread>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace quarry::app {
namespace {

namespace json = boost::json;
using net::HttpMethod;

// Where the server has each method of owner_methods.h. A {name} in a path is the parameter of that name; the
// others make the body.
struct RemoteMethod {
    std::string_view name{};
    HttpMethod method{};
    std::string_view path{};
};

constexpr RemoteMethod remote_methods[] = {
    {"crawl", HttpMethod::post, "/api/v1/crawls"},
    {"cancel", HttpMethod::post, "/api/v1/crawls/{group}/cancel"},
    {"pause", HttpMethod::post, "/api/v1/crawls/{group}/pause"},
    {"resume", HttpMethod::post, "/api/v1/crawls/{group}/resume"},
    {"embed", HttpMethod::post, "/api/v1/crawls/{group}/embed"},
    {"reprioritise", HttpMethod::post, "/api/v1/crawls/{group}/reprioritise"},
    {"schedule", HttpMethod::put, "/api/v1/schedules/{name}"},
    {"unschedule", HttpMethod::delete_, "/api/v1/schedules/{name}"},
    {"cancel_jobs", HttpMethod::post, "/api/v1/queue/cancel"},
    {"pause_jobs", HttpMethod::post, "/api/v1/queue/pause"},
    {"resume_jobs", HttpMethod::post, "/api/v1/queue/resume"},
    {"retry_jobs", HttpMethod::post, "/api/v1/queue/retry"},
    {"clear_jobs", HttpMethod::post, "/api/v1/queue/clear"},
    {"process_changes", HttpMethod::post, "/api/v1/embedding-queue/process"},
    {"forget", HttpMethod::post, "/api/v1/documents/forget"},
    {"index_again", HttpMethod::post, "/api/v1/documents/reindex"},
    {"write_pages", HttpMethod::post, "/api/v1/documents"},
    {"set_collection", HttpMethod::put, "/api/v1/collections/{name}"},
    {"remove_collection", HttpMethod::delete_, "/api/v1/collections/{name}"},
    {"drop_vectors", HttpMethod::delete_, "/api/v1/collections/{collection}/vectors"},
    {"search", HttpMethod::post, "/api/v1/search"},
    {"indexing", HttpMethod::get, "/api/v1/embedding-queue"},
    {"index_facts", HttpMethod::get, "/api/v1/index"},
};

// The path with the values of its names, which are taken out of the parameters.
std::string fill_in(std::string_view path, json::object& params) {
    std::string filled;
    while (!path.empty()) {
        const std::size_t begin = std::min(path.find('{'), path.size());
        filled += path.substr(0, begin);
        path.remove_prefix(begin);
        if (path.empty()) break;
        const std::size_t end = path.find('}');
        const std::string_view name = path.substr(1, end - 1);
        if (const json::value* value = params.if_contains(name))
            filled +=
                escaped(value->is_string() ? std::string(value->get_string()) : json::serialize(*value));
        params.erase(name);
        path.remove_prefix(end + 1);
    }
    return filled;
}

}  // namespace

Result<json::value> RemoteOwner::call(std::string_view method, json::object params) {
    const auto found = std::ranges::find(remote_methods, method, &RemoteMethod::name);
    if (found == std::end(remote_methods))
        return fail(ErrorCode::unsupported,
                    fmt::format("\"{}\" cannot be done over a server: do it on its machine", method));
    const std::string target = fill_in(found->path, params);
    return found->method == HttpMethod::get ? api_->get(target) : api_->send(found->method, target, params);
}

Result<std::optional<store::Event>> RemoteOwner::next_event(std::chrono::milliseconds timeout) {
    // Whoever has waited for long can wait a little longer: a server counts how often it is asked.
    constexpr int waits_at_once = 25;
    constexpr std::chrono::milliseconds longest{2'000};
    const auto pause = std::max(timeout, std::min(longest, timeout * (waits_++ / waits_at_once)));
    std::this_thread::sleep_for(pause);
    return std::nullopt;
}

}  // namespace quarry::app
