#include "browser/page_events.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include <boost/json.hpp>

namespace quarry::browser {
namespace {

namespace json = boost::json;

constexpr double highest_status = 999;
constexpr std::size_t most_in_flight = 10'000;
constexpr std::size_t most_headers = 200;
constexpr std::size_t most_loaders = 100;

// What never ends, or whose end is told elsewhere: the load event waits for frames, and nobody for the rest.
constexpr std::string_view unawaited[] = {"EventSource", "WebSocket",         "Ping", "Prefetch", "Preflight",
                                          "Media",       "CSPViolationReport"};

void begin_request(PageState& state, const json::object& params) {
    ++state.requests;
    state.last_traffic = std::chrono::steady_clock::now();
    const std::string_view type = text_at(params, "type");
    const bool is_document = type == "Document" && text_at(params, "frameId") == state.frame;
    const std::string_view url = text_at(object_at(params, "request"), "url");
    const bool is_listed = type == "Document" || std::ranges::find(unawaited, type) != std::end(unawaited);
    const bool is_awaited = url.starts_with("http") && (is_document || !is_listed);
    if (is_awaited && state.in_flight.size() < most_in_flight)
        state.in_flight.emplace(text_at(params, "requestId"));
    if (is_document) state.requested_url = url;
}

void end_request(PageState& state, const json::object& params) {
    state.last_traffic = std::chrono::steady_clock::now();
    state.in_flight.erase(std::string(text_at(params, "requestId")));
}

void take_answer(PageState& state, const json::object& params) {
    const bool is_document =
        text_at(params, "type") == "Document" && text_at(params, "frameId") == state.frame;
    if (!is_document) return;
    const json::object& response = object_at(params, "response");
    state.url = text_at(response, "url");
    const double status = number_at(response, "status");
    state.status = status >= 0 && status <= highest_status ? static_cast<int>(status) : 0;
    state.mime_type = text_at(response, "mimeType");
    state.headers.clear();
    for (const auto& [name, value] : object_at(response, "headers")) {
        if (state.headers.size() == most_headers) break;
        if (value.is_string()) state.headers.push_back({std::string(name), std::string(value.get_string())});
    }
}

void begin_document(PageState& state, std::string_view loader) {
    if (state.loader != loader && state.former_loaders.size() < most_loaders)
        state.former_loaders.push_back(std::move(state.loader));
    state.loader = loader;
    state.is_loaded = state.is_network_idle = false;
}

void take_lifecycle(PageState& state, const json::object& params) {
    if (text_at(params, "frameId") != state.frame) return;
    const std::string_view name = text_at(params, "name");
    if (name == "init" || name == "commit") {
        begin_document(state, text_at(params, "loaderId"));
    } else if (text_at(params, "loaderId") == state.loader) {
        if (name == "load") {
            state.is_loaded = true;
            state.in_flight.erase(state.loader);  // the document's own request, if its end was not told
        }
        if (name == "networkIdle") state.is_network_idle = true;
    }
}

void end(PageState& state, std::string why) {
    if (!state.is_over) state.why_over = std::move(why);
    state.is_over = true;
}

using Handler = void (*)(PageState&, const json::object&);

const std::unordered_map<std::string_view, Handler>& handlers() {
    static const std::unordered_map<std::string_view, Handler> table = {
        {"Network.requestWillBeSent", begin_request},
        {"Network.responseReceived", take_answer},
        {"Network.loadingFinished", end_request},
        {"Network.loadingFailed", end_request},
        {"Page.lifecycleEvent", take_lifecycle},
        {"Page.javascriptDialogOpening", [](PageState& state, const json::object&) { ++state.dialogs; }},
        {"Page.downloadWillBegin",
         [](PageState& state, const json::object& params) { state.downloads = text_at(params, "url"); }},
        {"Inspector.targetCrashed",
         [](PageState& state, const json::object&) {
             end(state, "the page crashed, or took too much memory");
         }},
        {"Inspector.detached",
         [](PageState& state, const json::object&) { end(state, "the page was closed"); }},
        {"Quarry.closed",
         [](PageState& state, const json::object& params) {
             end(state, std::string(text_at(params, "why")));
         }},
    };
    return table;
}

}  // namespace

void PageEvents::take(const std::string& method, const json::object& params) {
    const auto handler = handlers().find(method);
    if (handler == handlers().end()) return;
    change([&](PageState& state) { handler->second(state, params); });
}

void PageEvents::expect(std::string_view loader) {
    change([&](PageState& state) {
        const bool was_told = state.loader == loader ||
                              std::ranges::find(state.former_loaders, loader) != state.former_loaders.end();
        if (!was_told && !loader.empty()) begin_document(state, loader);
    });
}

Result<void> PageEvents::wait(const std::function<bool(const PageState&)>& holds, Deadline deadline,
                              const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const bool is_so =
        changed_.wait_until(lock, stop, deadline, [&] { return state_.is_over || holds(state_); });
    if (state_.is_over) return fail(ErrorCode::unavailable, state_.why_over);
    if (is_so) return {};
    if (stop.stop_requested()) return fail(ErrorCode::interrupted, "interrupted");
    return fail(ErrorCode::timeout, "the page took too long");
}

PageState PageEvents::state() const {
    const std::lock_guard lock(mutex_);
    return state_;
}

}  // namespace quarry::browser
