#include "crawl/options/browsing_json.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "crawl/options/json.h"

namespace quarry::crawl {

namespace {

namespace json = boost::json;
using Kind = Action::Kind;

constexpr std::array<std::string_view, 3> rendering_names{"never", "auto", "always"};
constexpr std::array<std::string_view, 9> action_names{
    "wait", "click", "write", "press", "scroll", "screenshot", "scrape", "executeJavascript", "pdf"};
constexpr std::array<std::string_view, 3> picture_names{"png", "jpeg", "webp"};
constexpr std::chrono::milliseconds longest_wait{60'000};  // of all waits together
constexpr std::size_t longest_text = 100'000;

std::unexpected<Error> wrong_browsing(std::string sentence) {
    return fail(ErrorCode::invalid_argument, std::move(sentence));
}

const json::value* present(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    return value && !value->is_null() ? value : nullptr;
}

Result<void> read_flag(const json::object& object, std::string_view name, bool& into) {
    const json::value* value = present(object, name);
    if (!value) return {};
    if (!value->is_bool()) return wrong_kind(*value, name, "true or false");
    into = value->get_bool();
    return {};
}

Result<void> read_text(const json::object& object, std::string_view name, std::string& into) {
    const json::value* value = present(object, name);
    if (!value) return {};
    if (!value->is_string() || value->get_string().size() > longest_text)
        return wrong_kind(*value, name, "a text");
    into = value->get_string();
    return {};
}

Result<void> read_integer(const json::object& object, std::string_view name, std::int64_t least,
                          std::int64_t most, int& into) {
    const json::value* value = present(object, name);
    if (!value) return {};
    if (!value->is_int64() || value->get_int64() < least || value->get_int64() > most)
        return wrong_kind(*value, name, fmt::format("a whole number from {} to {}", least, most));
    into = static_cast<int>(value->get_int64());
    return {};
}

Result<std::chrono::milliseconds> read_wait(const json::value& value, std::string_view name) {
    if (!value.is_int64() || value.get_int64() < 0 || value.get_int64() > longest_wait.count())
        return wrong_kind(value, name, "a number of milliseconds up to 60000");
    return std::chrono::milliseconds(value.get_int64());
}

Result<Viewport> read_viewport(const json::value& value) {
    if (!value.is_object()) return wrong_kind(value, "viewport", "{\"width\": …, \"height\": …}");
    Viewport view;
    TRY(read_integer(value.get_object(), "width", 1, largest_viewport.width, view.width));
    TRY(read_integer(value.get_object(), "height", 1, largest_viewport.height, view.height));
    return view;
}

Result<PdfWish> read_pdf(const json::object& object) {
    PdfWish pdf;
    TRY(read_text(object, "format", pdf.paper));
    TRY(read_flag(object, "landscape", pdf.landscape));
    if (const json::value* scale = present(object, "scale")) {
        json::error_code error;
        const double number = scale->is_number() ? scale->to_number<double>(error) : 0;
        if (!(number >= 0.1 && number <= 2)) return wrong_kind(*scale, "scale", "a number from 0.1 to 2");
        pdf.scale = number;
    }
    return pdf;
}

// A text that the action cannot do without.
Result<std::string> needed_text(const json::object& object, std::string_view name) {
    std::string text;
    TRY(read_text(object, name, text));
    if (text.empty()) return wrong_browsing(fmt::format("it needs \"{}\"", name));
    return text;
}

Result<void> read_wait_action(const json::object& object, Action& action) {
    const json::value* time = present(object, "milliseconds");
    TRY(read_text(object, "selector", action.selector));
    if ((time != nullptr) == !action.selector.empty())
        return wrong_browsing("it needs either \"milliseconds\" or \"selector\"");
    if (time) action.time = TRY(read_wait(*time, "milliseconds"));
    return {};
}

Result<void> read_scroll(const json::object& object, Action& action) {
    std::string direction = "down";
    TRY(read_text(object, "direction", direction));
    TRY(read_text(object, "selector", action.selector));
    if (direction != "up" && direction != "down") return wrong_browsing("\"direction\" is up or down");
    action.up = direction == "up";
    return {};
}

Result<Action> read_action(const json::value& value) {
    const json::object* object = value.if_object();
    const json::value* type = object ? object->if_contains("type") : nullptr;
    if (!type || !type->is_string()) return wrong_browsing("it is no object with a \"type\"");
    const auto* const name = std::ranges::find(action_names, std::string_view(type->get_string()));
    if (name == action_names.end())
        return wrong_browsing(
            "there are wait, click, write, press, scroll, screenshot, scrape, executeJavascript and pdf");
    Action action{.kind = static_cast<Kind>(name - action_names.begin())};
    switch (action.kind) {
        case Kind::wait: TRY(read_wait_action(*object, action)); break;
        case Kind::click:
            action.selector = TRY(needed_text(*object, "selector"));
            TRY(read_flag(*object, "all", action.all));
            break;
        case Kind::write: action.text = TRY(needed_text(*object, "text")); break;
        case Kind::press: action.text = TRY(needed_text(*object, "key")); break;
        case Kind::scroll: TRY(read_scroll(*object, action)); break;
        case Kind::picture: action.picture = TRY(read_picture(*object)); break;
        case Kind::script: action.text = TRY(needed_text(*object, "script")); break;
        case Kind::pdf: action.pdf = TRY(read_pdf(*object)); break;
        case Kind::scrape: break;
    }
    return action;
}

json::object write_action(const Action& action) {
    json::object out;
    if (action.kind == Kind::picture) out = write_picture(action.picture);
    out["type"] = action_names[static_cast<std::size_t>(action.kind)];
    if (!action.selector.empty()) out["selector"] = action.selector;
    switch (action.kind) {
        case Kind::wait:
            if (action.selector.empty()) out["milliseconds"] = action.time.count();
            break;
        case Kind::click: out["all"] = action.all; break;
        case Kind::write: out["text"] = action.text; break;
        case Kind::press: out["key"] = action.text; break;
        case Kind::scroll: out["direction"] = action.up ? "up" : "down"; break;
        case Kind::script: out["script"] = action.text; break;
        case Kind::pdf:
            out["format"] = action.pdf.paper;
            out["landscape"] = action.pdf.landscape;
            out["scale"] = action.pdf.scale;
            break;
        case Kind::picture:
        case Kind::scrape: break;
    }
    return out;
}

}  // namespace

Result<Rendering> parse_rendering(std::string_view word) {
    const auto* const name = std::ranges::find(rendering_names, word);
    if (name != rendering_names.end()) return static_cast<Rendering>(name - rendering_names.begin());
    return wrong_browsing(
        fmt::format("pages are rendered auto, always or never, not \"{}\"", word.substr(0, 40)));
}

std::string_view name_of(Rendering rendering) {
    return rendering_names[static_cast<std::size_t>(rendering)];
}

Result<std::vector<Action>> read_actions(const json::value& value) {
    if (!value.is_array()) return wrong_kind(value, "actions", "a list of objects with a \"type\"");
    if (value.get_array().size() > most_actions)
        return wrong_browsing(fmt::format("there are more than {} actions", most_actions));
    std::vector<Action> actions;
    for (const json::value& item : value.get_array()) {
        auto action = read_action(item);
        if (!action)
            return wrong_browsing(
                fmt::format("action {} cannot be done: {}", actions.size() + 1, action.error().message));
        actions.push_back(*std::move(action));
    }
    return actions;
}

json::array write_actions(const std::vector<Action>& actions) {
    json::array out;
    for (const Action& action : actions) out.push_back(write_action(action));
    return out;
}

Result<PictureWish> read_picture(const json::object& object) {
    PictureWish picture;
    TRY(read_flag(object, "fullPage", picture.full_page));
    TRY(read_text(object, "selector", picture.selector));
    if (const json::value* view = present(object, "viewport")) picture.viewport = TRY(read_viewport(*view));
    TRY(read_integer(object, "quality", 1, 100, picture.quality));
    if (present(object, "quality")) picture.kind = PictureKind::jpeg;
    std::string format;
    TRY(read_text(object, "format", format));
    if (format.empty()) return picture;
    const auto* const name = std::ranges::find(picture_names, std::string_view(format));
    if (name == picture_names.end()) return wrong_browsing("\"format\" is png, jpeg or webp");
    picture.kind = static_cast<PictureKind>(name - picture_names.begin());
    return picture;
}

json::object write_picture(const PictureWish& picture) {
    json::object out{{"fullPage", picture.full_page},
                     {"quality", picture.quality},
                     {"format", picture_names[static_cast<std::size_t>(picture.kind)]}};
    if (!picture.selector.empty()) out["selector"] = picture.selector;
    if (picture.viewport)
        out["viewport"] = {{"width", picture.viewport->width}, {"height", picture.viewport->height}};
    return out;
}

void write_browsing(const CrawlOptions& options, json::object& out) {
    if (options.render != Rendering::never) out["render"] = name_of(options.render);
    if (options.wait_for.count() > 0) out["waitFor"] = options.wait_for.count();
    if (options.mobile) out["mobile"] = true;
    if (!options.block_ads) out["blockAds"] = false;
    if (!options.actions.empty()) out["actions"] = write_actions(options.actions);
    if (options.picture) out["screenshot"] = write_picture(*options.picture);
}

Result<void> read_browsing(const json::object& in, CrawlOptions& options) {
    std::string rendering(name_of(options.render));
    TRY(read_text(in, "render", rendering));
    options.render = TRY(parse_rendering(rendering));
    if (const json::value* time = present(in, "waitFor")) options.wait_for = TRY(read_wait(*time, "waitFor"));
    TRY(read_flag(in, "mobile", options.mobile));
    TRY(read_flag(in, "blockAds", options.block_ads));
    if (const json::value* actions = present(in, "actions")) options.actions = TRY(read_actions(*actions));
    if (const json::value* picture = present(in, "screenshot")) {
        if (!picture->is_object()) return wrong_kind(*picture, "screenshot", "an object");
        options.picture = TRY(read_picture(picture->get_object()));
    }
    return {};
}

Result<void> check_browsing(const CrawlOptions& options) {
    if (options.actions.size() > most_actions)
        return wrong_browsing(fmt::format("there are more than {} actions", most_actions));
    std::chrono::milliseconds waits = options.wait_for;
    for (const Action& action : options.actions) waits += action.time;
    if (waits > longest_wait) return wrong_browsing("the waits are longer than 60 seconds together");
    const bool needs_browser =
        !options.actions.empty() || options.picture || options.formats.branding || waits.count() > 0;
    if (needs_browser && options.render == Rendering::never)
        return wrong_browsing("actions, waits, screenshots and branding need pages to be rendered");
    return {};
}

}  // namespace quarry::crawl
