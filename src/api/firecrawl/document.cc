#include "api/firecrawl/document.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/base64.h"
#include "model/stored_page.h"
#include "net/http_message.h"

namespace quarry::api {

namespace {

namespace json = boost::json;

std::string field_of(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

void warn(json::object& document, const std::string& sentence) {
    const std::string before = field_of(document, "warning");
    document["warning"] = before.empty() ? sentence : before + "; " + sentence;
}

chat::PageText text_of_page(const StoredPage& page) {
    const json::object document = firecrawl_document(page, {.markdown = true, .raw_html = true});
    return {.url = page.facts.final_url.empty() ? page.facts.url : page.facts.final_url,
            .html = field_of(document, "rawHtml"),
            .markdown = field_of(document, "markdown")};
}

}  // namespace

void store_for_answers(Formats& formats) {
    formats.raw_html = true;
    formats.markdown = true;
}

void put_answers(json::object answers, json::object& document) {
    for (auto& [name, value] : answers) {
        const bool is_for_people = name == "warning" || name == "error";
        if (is_for_people && value.is_string()) {
            warn(document, std::string(value.get_string()));
        } else {
            document[name] = std::move(value);
        }
    }
}

Result<void> add_answers(const StoredPage& page, const DataWish& wish, chat::Model* model,
                         const std::stop_token& stop, json::object& document) {
    if (!wish.wants_any()) return {};
    put_answers(TRY(chat::answers_about(text_of_page(page), wish, model, stop)), document);
    return {};
}

int status_of_answer(ErrorCode code) {
    const bool is_of_request =
        code == ErrorCode::not_found || code == ErrorCode::unsupported || code == ErrorCode::too_large;
    // Not 502: clients would ask again, and so would the model be.
    return is_of_request ? 400 : 500;
}

namespace {

namespace json = boost::json;

// What the page's record says besides its words; an empty object if it cannot be read.
json::object details_of(const StoredPage& page) {
    if (page.content->details.empty()) return {};
    json::error_code error;
    json::value details = json::parse(page.content->details, error);
    if (error || !details.is_object()) return {};
    return std::move(details.get_object());
}

void move_field(json::object& from, std::string_view name, json::object& to) {
    if (json::value* value = from.if_contains(name)) to[name] = std::move(*value);
}

json::object metadata_of(const StoredPage& page, json::object& details) {
    json::object metadata;
    if (json::value* stated = details.if_contains("metadata"); stated && stated->is_object())
        metadata = std::move(stated->get_object());
    const PageFacts& facts = page.facts;
    metadata["sourceURL"] = facts.url;
    metadata["url"] = facts.final_url.empty() ? facts.url : facts.final_url;
    metadata["statusCode"] = facts.status;
    metadata["contentType"] = facts.content_type;
    metadata["proxyUsed"] = "basic";
    metadata["creditsUsed"] = 1;
    metadata["concurrencyLimited"] = false;
    if (facts.status >= 400) metadata["error"] = net::http_status_line(facts.status);
    return metadata;
}

// "image/png" to "png".
std::string_view extension_of(std::string_view type) {
    return type.substr(type.find('/') + 1);
}

// The address of a picture, or all of it. Null if it was too much to keep.
json::value link_of(const json::value& medium, const StoredPage& page, const MediaLinks& links) {
    const json::object* object = medium.if_object();
    const json::value* token = object ? object->if_contains("token") : nullptr;
    const json::value* type = object ? object->if_contains("type") : nullptr;
    if (!token || !type || !token->is_string() || !type->is_string()) return nullptr;
    const std::string name(token->get_string()), kind(type->get_string());
    if (links.media.empty())
        return json::value(fmt::format("{}/v2/media/{}.{}", links.origin, media_name(page.content_id, name),
                                       extension_of(kind)));
    const auto found = find_media(links.media, name);
    if (!found) return nullptr;
    return json::value(fmt::format("data:{};base64,{}", kind, encode_base64(found->bytes)));
}

json::array links_of(const json::object& media, std::string_view name, const StoredPage& page,
                     const MediaLinks& links) {
    json::array all;
    const json::value* list = media.if_contains(name);
    if (!list || !list->is_array()) return all;
    for (const json::value& medium : list->get_array()) all.push_back(link_of(medium, page, links));
    return all;
}

// `screenshot`, and what the actions gave.
void add_shown(const StoredPage& page, json::object& details, const MediaLinks& links,
               json::object& document) {
    const json::value* stored = details.if_contains("media");
    if (!stored || !stored->is_object()) return;
    const json::object& media = stored->get_object();
    if (const json::value* picture = media.if_contains("screenshot"))
        document["screenshot"] = link_of(*picture, page, links);
    json::value* actions = details.if_contains("actions");
    if (!actions || !actions->is_object()) return;
    json::object& given = actions->get_object();
    given["screenshots"] = links_of(media, "screenshots", page, links);
    given["pdfs"] = links_of(media, "pdfs", page, links);
    document["actions"] = std::move(given);
}

}  // namespace

json::object firecrawl_document(const StoredPage& page, const Formats& formats, const MediaLinks& links) {
    json::object document;
    if (!page.content) return document;
    json::object details = details_of(page);
    if (formats.markdown) document["markdown"] = page.content->markdown;
    if (formats.html && !page.content->html.empty()) document["html"] = page.content->html;
    if (formats.raw_html) move_field(details, "rawHtml", document);
    if (formats.links) move_field(details, "links", document);
    if (formats.images) move_field(details, "images", document);
    if (formats.branding) move_field(details, "branding", document);
    move_field(details, "attributes", document);
    move_field(details, "changeTracking", document);
    move_field(details, "warning", document);
    add_shown(page, details, links, document);
    if (json::value* answers = details.if_contains("answers"); answers && answers->is_object())
        put_answers(std::move(answers->get_object()), document);
    document["metadata"] = metadata_of(page, details);
    return document;
}

}  // namespace quarry::api
