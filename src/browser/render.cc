// What is done to a page before it is read: clicks, keys, waits.
#include "browser/render.h"

#include <algorithm>
#include <array>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/result.h"
#include "browser/page.h"
#include "browser/page_scripts.h"
#include "browser/request.h"
#include "net/http_message.h"
#include "net/wording.h"

namespace quarry::browser {

// In order; what they give goes into `rendered`. Stops at the first that cannot be done, with a sentence that
// says which.
Result<void> run_actions(Page& page, Rendered& rendered);

namespace {

namespace json = boost::json;

constexpr int most_clicks = 100;  // of one action for all matches

struct Key {
    std::string_view name;
    std::string_view code;
    int number;             // Windows' virtual key code, which pages still read as keyCode
    std::string_view text;  // what it types
};

constexpr Key keys[] = {
    {"Enter", "Enter", 13, "\r"},
    {"Tab", "Tab", 9, ""},
    {"Escape", "Escape", 27, ""},
    {"Backspace", "Backspace", 8, ""},
    {"Delete", "Delete", 46, ""},
    {"ArrowUp", "ArrowUp", 38, ""},
    {"ArrowDown", "ArrowDown", 40, ""},
    {"ArrowLeft", "ArrowLeft", 37, ""},
    {"ArrowRight", "ArrowRight", 39, ""},
    {"Home", "Home", 36, ""},
    {"End", "End", 35, ""},
    {"PageUp", "PageUp", 33, ""},
    {"PageDown", "PageDown", 34, ""},
    {"Space", "Space", 32, " "},
};

Result<void> press(Page& page, const std::string& name) {
    const auto* const known = std::ranges::find_if(keys, [&](const Key& key) { return key.name == name; });
    const bool is_known = known != std::end(keys);
    if (!is_known && name.size() != 1)
        return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" is no key", name));
    const std::string text = is_known ? std::string(known->text) : name;
    json::object down{{"type", "keyDown"}, {"key", name == "Space" ? " " : name}};
    if (is_known) {
        down["code"] = known->code;
        down["windowsVirtualKeyCode"] = known->number;
    }
    if (!text.empty()) down["text"] = text;
    json::object up = down;
    up["type"] = "keyUp";
    up.erase("text");
    TRY(page.call("Input.dispatchKeyEvent", std::move(down)));
    TRY(page.call("Input.dispatchKeyEvent", std::move(up)));
    return {};
}

Result<void> click_at(Page& page, double x, double y) {
    for (const std::string_view type : {"mouseMoved", "mousePressed", "mouseReleased"}) {
        json::object parameters{{"type", type}, {"x", x}, {"y", y}};
        if (type != "mouseMoved") {
            parameters["button"] = "left";
            parameters["clickCount"] = 1;
        }
        TRY(page.call("Input.dispatchMouseEvent", std::move(parameters)));
    }
    return {};
}

Result<void> click(Page& page, const Action& action) {
    const json::value counted = TRY(page.run(count_script, {action.selector}));
    const auto count = counted.is_int64() ? counted.get_int64() : 0;
    if (count < 1)
        return fail(ErrorCode::not_found, fmt::format("no element matches \"{}\"", action.selector));
    const std::int64_t clicks = action.all ? std::min<std::int64_t>(count, most_clicks) : 1;
    for (std::int64_t i = 0; i < clicks; ++i) {
        const json::value point = TRY(page.run(click_point_script, {action.selector, i}));
        if (!point.is_object()) continue;  // an earlier click has removed it
        if (flag_at(point.get_object(), "clicked")) continue;
        TRY(click_at(page, number_at(point.get_object(), "x"), number_at(point.get_object(), "y")));
    }
    return page.wait_quiet(page.deadline());
}

Result<void> scroll(Page& page, const Action& action) {
    const json::value scrolled = TRY(page.run(scroll_script, {action.selector, action.up}));
    if (scrolled != json::value(true))
        return fail(ErrorCode::not_found, fmt::format("no element matches \"{}\"", action.selector));
    return page.wait_quiet(page.deadline());
}

Result<void> run_action(Page& page, const Action& action, Rendered& rendered) {
    switch (action.kind) {
        case Action::Kind::wait:
            return action.selector.empty() ? page.pause(action.time)
                                           : page.wait_for_selector(action.selector);
        case Action::Kind::click: return click(page, action);
        case Action::Kind::write: TRY(page.call("Input.insertText", {{"text", action.text}})); return {};
        case Action::Kind::press: return press(page, action.text);
        case Action::Kind::scroll: return scroll(page, action);
        case Action::Kind::picture: rendered.pictures.push_back(TRY(page.picture(action.picture))); return {};
        case Action::Kind::scrape: {
            std::string html = TRY(page.html());
            rendered.scrapes.push_back({page.state().url, std::move(html)});
            return {};
        }
        case Action::Kind::script:
            rendered.script_results.emplace_back(TRY(page.run_users(action.text)));
            return {};
        case Action::Kind::pdf: rendered.pdfs.push_back(TRY(page.pdf(action.pdf))); return {};
    }
    return {};
}

}  // namespace

Result<void> run_actions(Page& page, Rendered& rendered) {
    constexpr std::array<std::string_view, 9> names = {
        "wait", "click", "write", "press", "scroll", "screenshot", "scrape", "executeJavascript", "pdf"};
    int number = 0;
    for (const Action& action : page.request().actions) {
        ++number;
        auto done = run_action(page, action, rendered);
        if (!done)
            return fail(done.error().code,
                        fmt::format("action {} ({}): {}", number,
                                    names[static_cast<std::size_t>(action.kind)], done.error().message));
    }
    return {};
}

namespace {

std::unexpected<Error> wrong(std::string words) {
    return fail(ErrorCode::invalid_argument, std::move(words));
}

Result<Rendered> work_on(Page& page) {
    const RenderRequest& request = page.request();
    Rendered rendered;
    TRY(page.navigate());
    const bool is_ready = TRY(page.wait_until_ready());
    TRY(run_actions(page, rendered));
    // Before the picture, which may be taken of another viewport.
    if (request.branding) rendered.branding = TRY(page.branding());
    if (request.picture) rendered.picture = TRY(page.picture(*request.picture));
    if (request.pdf) rendered.pdf = TRY(page.pdf(*request.pdf));
    if (request.html) rendered.html = TRY(page.html());
    TRY(page.check_document());
    PageState now = page.state();
    rendered.final_url = std::move(now.url);
    rendered.status = now.status;
    rendered.headers = std::move(now.headers);
    rendered.requests = now.requests;
    rendered.bytes = page.tally().bytes;
    if (!is_ready) rendered.warning = "the page was still loading when its time was over";
    if (now.requests >= request.limits.requests)
        rendered.warning = fmt::format("the page made more than {} requests", request.limits.requests);
    return rendered;
}

Result<Rendered> render_page(Instance& instance, const Lane& lane, const RenderRequest& request,
                             Health& health) {
    const Deadline deadline = std::chrono::steady_clock::now() + request.limits.time;
    auto page = Page::open(instance, lane, request, deadline);
    if (!page) {
        health = Health::stuck;  // an empty page opens, or something is wrong with the browser
        return std::unexpected(page.error());
    }
    auto rendered = work_on(**page);
    if (!(*page)->close()) health = Health::stuck;
    if (!rendered && rendered.error().code == ErrorCode::timeout)
        return fail(ErrorCode::timeout,
                    fmt::format("timed out after {} in the browser ({})", net::in_words(request.limits.time),
                                rendered.error().message));
    return rendered;
}

}  // namespace

Result<void> check(const RenderRequest& request) {
    if (!request.url.is_http()) return wrong("a browser loads http and https only");
    if (request.actions.size() > most_actions)
        return wrong(fmt::format("more than {} actions", most_actions));
    for (const Viewport& view :
         {request.viewport,
          request.picture && request.picture->viewport ? *request.picture->viewport : Viewport{}}) {
        const bool fits = view.width >= 1 && view.height >= 1 && view.width <= largest_viewport.width &&
                          view.height <= largest_viewport.height;
        if (!fits)
            return wrong(fmt::format("a viewport has 1x1 to {}x{} pixels", largest_viewport.width,
                                     largest_viewport.height));
    }
    TRY(request.policy.check_host(request.url.host()));
    for (const Header& header : request.headers) TRY(net::check_request_headers({header}));
    return {};
}

RenderOutcome render(Instance& instance, const Lane& lane, const RenderRequest& request) {
    RenderOutcome outcome{.result = fail(ErrorCode::unavailable, "not rendered")};
    if (auto checked = check(request); !checked) {
        outcome.result = std::unexpected(checked.error());
        return outcome;
    }
    outcome.result = render_page(instance, lane, request, outcome.health);
    if (!instance.devtools().is_open()) outcome.health = Health::stuck;
    return outcome;
}

}  // namespace quarry::browser
