#include "crawl/options/json.h"

#include <algorithm>
#include <array>
#include <set>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "url/url.h"

namespace quarry::crawl {

namespace {

namespace json = boost::json;

constexpr std::size_t longest_quote = 80;

struct NamedFormat {
    std::string_view name;
    bool Formats::* wanted;
};

constexpr std::array written_formats{
    NamedFormat{"markdown", &Formats::markdown}, NamedFormat{"html", &Formats::html},
    NamedFormat{"rawHtml", &Formats::raw_html},  NamedFormat{"text", &Formats::text},
    NamedFormat{"links", &Formats::links},       NamedFormat{"images", &Formats::images},
    NamedFormat{"branding", &Formats::branding}, NamedFormat{"metadata", &Formats::metadata},
};

// A format is its name, or an object with the name as its "type".
Result<std::string> format_name(const json::value& value) {
    const json::value* name = value.is_object() ? value.get_object().if_contains("type") : &value;
    if (name == nullptr || !name->is_string()) return wrong_kind(value, "formats", "a list of names");
    // parse_formats reads a list; a name with a comma in it would pass as two.
    if (name->get_string().find(',') != json::string::npos)
        return fail(ErrorCode::invalid_argument, "a format's name has no comma; name each on its own");
    return std::string(name->get_string());
}

bool names_differ(const std::vector<Header>& headers) {
    std::set<std::string_view> names;
    for (const Header& header : headers) names.insert(header.name);
    return names.size() == headers.size();
}

Result<Header> read_header(const json::value& value) {
    const json::object* object = value.if_object();
    const json::value* name = object ? object->if_contains("name") : nullptr;
    const json::value* text = object ? object->if_contains("value") : nullptr;
    if (!name || !text || !name->is_string() || !text->is_string())
        return wrong_kind(value, "headers", R"({"name": …, "value": …})");
    return Header{std::string(name->get_string()), std::string(text->get_string())};
}

}  // namespace

std::unexpected<Error> wrong_kind(const json::value& value, std::string_view name, std::string_view wanted) {
    std::string found = json::serialize(value);
    if (found.size() > longest_quote) found.resize(longest_quote);
    return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" must be {}, not {}", name, wanted, found));
}

void hide_url_secrets(json::value& value) {
    if (json::object* object = value.if_object()) {
        for (auto& member : *object) hide_url_secrets(member.value());
    } else if (json::array* array = value.if_array()) {
        for (json::value& item : *array) hide_url_secrets(item);
    } else if (const json::string* text = value.if_string()) {
        const bool may_have =
            text->find("://") != json::string::npos && text->find('@') != json::string::npos;
        if (may_have) value = json::string(url::without_secrets(*text));
    }
}

Result<std::vector<std::string>> read_texts(const json::value& value, std::string_view name) {
    if (!value.is_array()) return wrong_kind(value, name, "a list of texts");
    std::vector<std::string> texts;
    for (const json::value& text : value.get_array()) {
        if (!text.is_string()) return wrong_kind(text, name, "a list of texts");
        texts.emplace_back(text.get_string());
    }
    return texts;
}

Result<Formats> read_formats(const json::value& value) {
    if (!value.is_array()) return wrong_kind(value, "formats", "a list of names");
    std::string list;
    for (const json::value& format : value.get_array()) {
        if (!list.empty()) list += ',';
        list += TRY(format_name(format));
    }
    if (value.get_array().empty()) return Formats{.markdown = false, .metadata = false};
    return parse_formats(list);
}

json::array write_formats(const Formats& formats) {
    json::array names;
    for (const NamedFormat& format : written_formats)
        if (formats.*(format.wanted)) names.emplace_back(format.name);
    return names;
}

Result<std::vector<Header>> read_headers(const json::value& value) {
    std::vector<Header> headers;
    if (const json::object* object = value.if_object()) {
        for (const auto& member : *object) {
            if (!member.value().is_string())
                return wrong_kind(member.value(), "headers", "an object of texts");
            headers.push_back({std::string(member.key()), std::string(member.value().get_string())});
        }
        return headers;
    }
    if (!value.is_array()) return wrong_kind(value, "headers", "an object of texts");
    for (const json::value& header : value.get_array()) headers.push_back(TRY(read_header(header)));
    return headers;
}

json::value write_headers(const std::vector<Header>& headers) {
    if (names_differ(headers)) {
        json::object object;
        for (const Header& header : headers) object[header.name] = header.value;
        return object;
    }
    json::array array;
    for (const Header& header : headers) array.push_back({{"name", header.name}, {"value", header.value}});
    return array;
}

Result<std::vector<AttributeWish>> read_attributes(const json::value& value) {
    constexpr std::string_view wanted = "a list of objects with \"selector\" and \"attribute\"";
    if (!value.is_array()) return wrong_kind(value, "attributes", wanted);
    std::vector<AttributeWish> wishes;
    for (const json::value& item : value.get_array()) {
        const json::object* object = item.if_object();
        const json::value* selector = object ? object->if_contains("selector") : nullptr;
        const json::value* attribute = object ? object->if_contains("attribute") : nullptr;
        if (!selector || !attribute || !selector->is_string() || !attribute->is_string())
            return wrong_kind(item, "attributes", wanted);
        wishes.push_back({std::string(selector->get_string()), std::string(attribute->get_string())});
    }
    return wishes;
}

Result<DataWish> read_data(const json::value& value) {
    const json::object* object = value.if_object();
    if (!object) return wrong_kind(value, "data", "an object");
    DataWish data;
    const auto text = [](const json::object& in, std::string_view name) {
        const json::value* found = in.if_contains(name);
        return found && found->is_string() ? std::string(found->get_string()) : std::string();
    };
    if (const json::value* json = object->if_contains("json"); json && json->is_object()) {
        data.wants_json = true;
        const json::value* schema = json->get_object().if_contains("schema");
        if (schema && !schema->is_null()) data.schema = json::serialize(*schema);
        data.prompt = text(json->get_object(), "prompt");
    }
    if (const json::value* summary = object->if_contains("summary")) data.wants_summary = *summary == true;
    data.question = text(*object, "question");
    data.highlights = text(*object, "highlights");
    return data;
}

json::object write_data(const DataWish& data) {
    json::object out;
    if (data.wants_json) {
        boost::system::error_code none;                      // it was JSON
        const json::parse_options deep{.max_depth = 1'000};  // how deep it may be is checked with the rest
        out["json"] = {
            {"schema", data.schema.empty() ? json::value() : json::parse(data.schema, none, {}, deep)},
            {"prompt", data.prompt}};
    }
    if (data.wants_summary) out["summary"] = true;
    if (!data.question.empty()) out["question"] = data.question;
    if (!data.highlights.empty()) out["highlights"] = data.highlights;
    return out;
}

json::array write_attributes(const std::vector<AttributeWish>& attributes) {
    json::array array;
    for (const AttributeWish& wish : attributes)
        array.push_back({{"selector", wish.selector}, {"attribute", wish.attribute}});
    return array;
}

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
