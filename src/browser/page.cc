#include "browser/page.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "base/base64.h"
#include "browser/page_scripts.h"
#include "browser/page_setup.h"
#include "net/wording.h"

namespace quarry::browser {

namespace {

namespace json = boost::json;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds time_to_close{5};
constexpr milliseconds quiet_time{100};
constexpr milliseconds longest_quiet_wait{3'000};
constexpr milliseconds patience_with_empty{2'000};
constexpr milliseconds longest_wait_for_words{1'000};

std::string call_of(std::string_view script, const json::array& arguments) {
    std::string list;
    for (const json::value& argument : arguments) {
        if (!list.empty()) list += ',';
        list += json::serialize(argument);
    }
    return fmt::format("({})({})", script, list);
}

// What a script threw, as an error of one line.
Error thrown(const json::object& details) {
    std::string_view words = text_at(object_at(details, "exception"), "description");
    if (words.empty()) words = text_at(details, "text");
    words = words.substr(0, std::min<std::size_t>(words.find('\n'), 300));
    return {ErrorCode::invalid_argument, fmt::format("the script failed: {}", words)};
}

}  // namespace

Result<std::unique_ptr<Page>> Page::open(Instance& instance, const Lane& lane, const RenderRequest& request,
                                         Deadline deadline) {
    auto page = std::unique_ptr<Page>(new Page(instance, lane, request, deadline));
    instance.gate().open(
        lane.number,
        {.policy = request.policy, .limits = {.bytes = request.limits.bytes}, .browser = instance.address()});
    TRY(page->attach());
    TRY(page->set_up());
    return page;
}

Page::~Page() {
    close();
}

Result<void> Page::attach() {
    DevTools& devtools = instance_.devtools();
    const auto context = TRY(devtools.call(
        "Target.createBrowserContext",
        {{"disposeOnDetach", true}, {"proxyServer", lane_.proxy}, {"proxyBypassList", "<-loopback>"}}, "",
        deadline_));
    context_ = text_at(context, "browserContextId");
    devtools.tell("Browser.setDownloadBehavior", {{"behavior", "deny"}, {"browserContextId", context_}});
    const auto target = TRY(devtools.call("Target.createTarget",
                                          {{"url", "about:blank"},
                                           {"browserContextId", context_},
                                           {"width", request_.viewport.width},
                                           {"height", request_.viewport.height}},
                                          "", deadline_));
    target_ = text_at(target, "targetId");
    const auto session = TRY(
        devtools.call("Target.attachToTarget", {{"targetId", target_}, {"flatten", true}}, "", deadline_));
    session_ = text_at(session, "sessionId");
    if (context_.empty() || target_.empty() || session_.empty())
        return fail(ErrorCode::corrupt, "the browser opened no page");
    // A page's main frame has the name of its target.
    events_.change([&](PageState& state) { state.frame = target_; });
    held_up_.set_main_frame(target_);
    devtools.on_events(session_, [this](const std::string& method, const json::object& params) {
        take_event(method, params);
    });
    return {};
}

// All commands are sent at once, and then awaited together. The page's own process has to have them before it
// navigates, or its first script would see another size, and its first events would be lost.
Result<void> Page::set_up() {
    std::vector<DevTools::Pending> answers;
    for (auto& [method, parameters] : setup_commands(request_, instance_.user_agent()))
        answers.push_back(instance_.devtools().send(method, std::move(parameters), session_));
    for (DevTools::Pending& answer : answers) {
        const auto done = answer.wait_until(deadline_);
        // An older browser that does not know a command does without it.
        if (!done && done.error().code == ErrorCode::timeout) return std::unexpected(done.error());
    }
    if (!instance_.devtools().is_open()) return std::unexpected(instance_.devtools().why_closed());
    return {};
}

// Runs on the connection's thread.
void Page::take_event(const std::string& method, const json::object& params) {
    if (method == "Fetch.requestPaused") {
        held_up_.tell_verdict(params, [this](std::string_view verdict, json::object parameters) {
            tell(verdict, std::move(parameters));
        });
        return;
    }
    if (method == "Page.frameAttached") held_up_.note_frame(params);
    // No user is there to answer a dialog. A page that asks before it is left is left.
    if (method == "Page.javascriptDialogOpening")
        tell("Page.handleJavaScriptDialog", {{"accept", text_at(params, "type") == "beforeunload"}});
    events_.take(method, params);
    if (method == "Network.requestWillBeSent" && events_.count_requests() == request_.limits.requests)
        instance_.gate().close(lane_.number);
}

void Page::tell(std::string_view method, json::object parameters) {
    instance_.devtools().tell(method, std::move(parameters), session_);
}

Result<json::object> Page::call(std::string_view method, json::object parameters) {
    auto pending = instance_.devtools().send(method, std::move(parameters), session_);
    // The wait goes in steps, so that a page whose process has died does not use up its whole time.
    for (;;) {
        const auto step = std::min(deadline_, Clock::now() + milliseconds(200));
        if (pending.is_there(step) || step == deadline_) return pending.wait_until(step);
        const PageState now = events_.state();
        if (now.is_over) return fail(ErrorCode::unavailable, now.why_over);
        if (request_.stop.stop_requested()) return fail(ErrorCode::interrupted, "interrupted");
    }
}

Error Page::failure(std::string_view browsers_words) {
    const PageState now = state();
    const auto url = url::Url::parse(now.requested_url.empty() ? request_.url.href() : now.requested_url);
    if (url) {
        const net::ProxyStats tally = this->tally();
        const auto known = tally.failures.find(fmt::format("{}:{}", url->host(), url->effective_port()));
        if (known != tally.failures.end()) return known->second;
        if (tally.is_used_up)
            return {ErrorCode::too_large,
                    fmt::format("the page moved more than {}", net::bytes_in_words(request_.limits.bytes))};
        if (tally.rejected_peers > 0)
            return {ErrorCode::unavailable,
                    fmt::format("the browser could not load it: {}; somebody came to {} from another address "
                                "than the browser's, {}, and was turned away",
                                browsers_words, lane_.proxy, instance_.address()->text())};
        if (instance_.address() && browsers_words.contains("ERR_PROXY_CONNECTION_FAILED"))
            return {ErrorCode::unavailable,
                    fmt::format("the browser does not reach quarry at {} (browser.gate)", lane_.proxy)};
    }
    return {ErrorCode::unavailable, fmt::format("the browser could not load it: {}", browsers_words)};
}

Result<void> Page::navigate() {
    const auto answer = TRY(call("Page.navigate", {{"url", request_.url.href()}}));
    if (flag_at(answer, "isDownload") || !state().downloads.empty())
        return fail(ErrorCode::unsupported, "is a file to download, not a page");
    if (const std::string_view words = text_at(answer, "errorText"); !words.empty()) {
        if (words == "net::ERR_ABORTED" && !state().downloads.empty())
            return fail(ErrorCode::unsupported, "is a file to download, not a page");
        return std::unexpected(failure(words));
    }
    events_.expect(text_at(answer, "loaderId"));
    return check_document();
}

Result<void> Page::check_document() {
    const PageState now = state();
    if (!header_value(now.headers, "proxy-status").starts_with("quarry;")) return {};
    return std::unexpected(failure("the proxy refused it"));
}

Result<bool> Page::wait_until_ready() {
    const auto is_loaded = [](const PageState& now) { return now.is_loaded; };
    const auto is_idle = [](const PageState& now) { return now.is_loaded && now.is_network_idle; };
    const bool to_idle = request_.wait_for == WaitFor::network_idle;
    // When the wait has lasted long enough, the page is read as it is. A fifth of the time left, at most five
    // seconds, is kept for reading it.
    const auto left = deadline_ - Clock::now();
    const Deadline enough = deadline_ - std::min<Clock::duration>(left / 5, std::chrono::seconds(5));
    const auto waited = to_idle ? events_.wait(is_idle, enough, request_.stop)
                                : events_.wait(is_loaded, enough, request_.stop);
    if (!waited && waited.error().code != ErrorCode::timeout) return std::unexpected(waited.error());
    bool is_ready = waited.has_value();
    if (is_ready && request_.wait_for == WaitFor::quiet) TRY(wait_quiet(enough));
    if (request_.wait_time.count() > 0) TRY(pause(request_.wait_time));
    if (!request_.wait_selector.empty()) TRY(wait_for_selector(request_.wait_selector));
    TRY(check_document());
    return is_ready;
}

// Waits for the network and for the page in turns, until both have been still.
Result<void> Page::wait_quiet(Deadline until) {
    const Deadline longest = std::min(until, Clock::now() + longest_quiet_wait);
    while (Clock::now() < longest) {
        const auto is_still = [](const PageState& now) { return now.in_flight.empty() && now.is_loaded; };
        if (const auto still = events_.wait(is_still, longest, request_.stop); !still) {
            if (still.error().code == ErrorCode::timeout) return {};
            return still;
        }
        const auto left = std::chrono::ceil<milliseconds>(longest - Clock::now());
        const auto before = state();
        // The page may go elsewhere meanwhile: then its world is gone, and the new one has to be waited for.
        const auto still = run(
            quiet_script, {quiet_time.count(), std::max<long>(1, left.count()), patience_with_empty.count()});
        if (!still && still.error().code == ErrorCode::timeout) return std::unexpected(still.error());
        const auto after = state();
        if (after.is_over) return fail(ErrorCode::unavailable, after.why_over);
        if (still && after.requests == before.requests && after.in_flight.empty()) return {};
    }
    return {};
}

Result<void> Page::wait_for_selector(const std::string& selector) {
    for (;;) {
        const auto found = run(appears_script, {selector});
        if (found) return {};
        if (found.error().code == ErrorCode::timeout)
            return fail(ErrorCode::timeout, fmt::format("no element matched \"{}\" in time", selector));
        // A page that navigates takes the question with it: the next page is asked again.
        if (found.error().code != ErrorCode::conflict) return std::unexpected(found.error());
        TRY(pause(milliseconds(20)));
    }
}

Result<void> Page::pause(milliseconds time) {
    const Deadline until = std::min(deadline_, Clock::now() + time);
    const auto waited = events_.wait([](const PageState&) { return false; }, until, request_.stop);
    if (!waited && waited.error().code != ErrorCode::timeout) return waited;
    return {};
}

Result<json::value> Page::run(std::string_view script, json::array arguments) {
    const auto lost = [](Error error) {
        // The browser's words for a world that went away while it was used.
        const bool is_gone = error.message.contains("context") || error.message.contains("navigated") ||
                             error.message.contains("frame");
        if (error.code == ErrorCode::unavailable && is_gone) error.code = ErrorCode::conflict;
        return error;
    };
    auto world = call("Page.createIsolatedWorld", {{"frameId", target_}, {"worldName", "quarry"}});
    if (!world) return std::unexpected(lost(world.error()));
    auto answer = call("Runtime.evaluate", {{"expression", call_of(script, arguments)},
                                            {"contextId", number_at(*world, "executionContextId")},
                                            {"returnByValue", true},
                                            {"awaitPromise", true}});
    if (!answer) return std::unexpected(lost(answer.error()));
    if (const json::object& problem = object_at(*answer, "exceptionDetails"); !problem.empty())
        return std::unexpected(thrown(problem));
    const json::value* value = object_at(*answer, "result").if_contains("value");
    return value ? *value : json::value(nullptr);
}

Result<json::object> Page::run_users(const std::string& script) {
    const auto answer = TRY(call("Runtime.evaluate", {{"expression", script},
                                                      {"returnByValue", true},
                                                      {"awaitPromise", true},
                                                      {"userGesture", true},
                                                      {"replMode", true}}));
    if (const json::object& problem = object_at(answer, "exceptionDetails"); !problem.empty())
        return std::unexpected(thrown(problem));
    const json::object& result = object_at(answer, "result");
    const json::value* value = result.if_contains("value");
    if (value && json::serialize(*value).size() > request_.limits.result_bytes)
        return fail(ErrorCode::too_large, fmt::format("the script's result is longer than {}",
                                                      net::bytes_in_words(request_.limits.result_bytes)));
    return json::object{{"type", text_at(result, "type")}, {"value", value ? *value : json::value(nullptr)}};
}

Result<json::value> Page::run_patiently(std::string_view script, const json::array& arguments) {
    for (int attempt = 0;; ++attempt) {
        auto answer = run(script, arguments);
        if (answer || answer.error().code != ErrorCode::conflict || attempt == 5) return answer;
        TRY(pause(milliseconds(50)));
    }
}

Result<std::string> Page::html() {
    // Between two documents there is a moment in which the next document is there but still empty.
    const auto left = deadline_ - Clock::now();
    const Deadline enough = Clock::now() + std::min<Clock::duration>(left / 2, longest_wait_for_words);
    json::value html = TRY(run_patiently(html_script, {request_.limits.html_bytes, false}));
    while (html == json::value("")) {
        const bool is_enough = Clock::now() >= enough;
        if (!is_enough) TRY(pause(milliseconds(20)));
        html = TRY(run_patiently(html_script, {request_.limits.html_bytes, is_enough}));
        if (is_enough) break;
    }
    if (html.is_string()) return std::string(html.get_string());
    return fail(ErrorCode::too_large, fmt::format("the document is longer than {}",
                                                  net::bytes_in_words(request_.limits.html_bytes)));
}

Result<json::value> Page::branding() {
    return run_patiently(branding_script, {});
}

bool Page::close() {
    if (is_closed_) return true;
    is_closed_ = true;
    instance_.gate().close(lane_.number);
    DevTools& devtools = instance_.devtools();
    if (!session_.empty()) devtools.on_events(session_, {});
    if (context_.empty()) return devtools.is_open();
    const auto closed = devtools.call("Target.disposeBrowserContext", {{"browserContextId", context_}}, "",
                                      Clock::now() + time_to_close);
    return closed.has_value();
}

// Pictures and PDFs of a page.

namespace {

namespace json = boost::json;

// Chromium's own limit for a surface; a page may be as tall as it likes.
constexpr double most_pixels_high = 16'384;
constexpr int most_steps = 40;  // of scrolling through a page that loads what comes into view

struct Box {
    double x = 0, y = 0, width = 0, height = 0;
};

Box box_of(const json::object& object) {
    return {number_at(object, "x"), number_at(object, "y"), number_at(object, "width"),
            number_at(object, "height")};
}

json::object clip_of(const Box& box) {
    return {{"x", box.x},
            {"y", box.y},
            {"width", std::clamp(std::ceil(box.width), 1.0, most_pixels_high)},
            {"height", std::clamp(std::ceil(box.height), 1.0, most_pixels_high)},
            {"scale", 1}};
}

Result<Box> place_of(Page& page, const std::string& selector) {
    const json::value boxes = TRY(page.run(boxes_script, {selector, 1}));
    if (!boxes.is_array() || boxes.get_array().empty() || !boxes.get_array()[0].is_object())
        return fail(ErrorCode::not_found, fmt::format("no element matches \"{}\"", selector));
    const Box box = box_of(boxes.get_array()[0].get_object());
    if (box.width < 1 || box.height < 1)
        return fail(ErrorCode::not_found, fmt::format("the element \"{}\" does not show", selector));
    return box;
}

std::string_view name_of(PictureKind kind) {
    constexpr std::array<std::string_view, 3> names = {"png", "jpeg", "webp"};
    return names[static_cast<std::size_t>(kind)];
}

Result<std::string> bytes_of(const json::object& answer) {
    auto bytes = decode_base64(text_at(answer, "data"));
    if (!bytes || bytes->empty()) return fail(ErrorCode::corrupt, "the browser gave no picture");
    return *std::move(bytes);
}

struct Paper {
    std::string_view name;
    double width, height;  // inches
};
constexpr Paper papers[] = {{"a0", 33.1, 46.8}, {"a1", 23.4, 33.1},  {"a2", 16.54, 23.4}, {"a3", 11.7, 16.54},
                            {"a4", 8.27, 11.7}, {"a5", 5.83, 8.27},  {"a6", 4.13, 5.83},  {"letter", 8.5, 11},
                            {"legal", 8.5, 14}, {"tabloid", 11, 17}, {"ledger", 17, 11}};

}  // namespace

Result<std::string> Page::picture(const PictureWish& wish) {
    json::object parameters{{"format", name_of(wish.kind)}, {"captureBeyondViewport", false}};
    if (wish.kind != PictureKind::png) parameters["quality"] = std::clamp(wish.quality, 1, 100);
    if (wish.viewport) {
        TRY(call("Emulation.setDeviceMetricsOverride", {{"width", wish.viewport->width},
                                                        {"height", wish.viewport->height},
                                                        {"deviceScaleFactor", 1},
                                                        {"mobile", request_.mobile}}));
    }
    if (!wish.selector.empty()) {
        parameters["clip"] = clip_of(TRY(place_of(*this, wish.selector)));
        parameters["captureBeyondViewport"] = true;
    } else if (wish.full_page) {
        TRY(run(walk_script, {most_steps}));
        TRY(wait_quiet(deadline_));
        const auto metrics = TRY(call("Page.getLayoutMetrics"));
        parameters["clip"] = clip_of(box_of(object_at(metrics, "cssContentSize")));
        parameters["captureBeyondViewport"] = true;
    }
    return bytes_of(TRY(call("Page.captureScreenshot", std::move(parameters))));
}

Result<std::string> Page::pdf(const PdfWish& wish) {
    const auto paper = std::ranges::find(papers, lower_case(wish.paper), &Paper::name);
    if (paper == std::end(papers))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" is no paper: A0 to A6, Letter, Legal, Tabloid, Ledger", wish.paper));
    return bytes_of(TRY(call("Page.printToPDF", {{"printBackground", true},
                                                 {"landscape", wish.landscape},
                                                 {"scale", std::clamp(wish.scale, 0.1, 2.0)},
                                                 {"paperWidth", paper->width},
                                                 {"paperHeight", paper->height}})));
}

}  // namespace quarry::browser
