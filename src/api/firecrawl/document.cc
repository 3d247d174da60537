#include "api/firecrawl/document.h"

#include "net/http_status.h"

namespace quarry::api {
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

}  // namespace

json::object firecrawl_document(const StoredPage& page, const Formats& formats) {
    json::object document;
    if (!page.content) return document;
    json::object details = details_of(page);
    if (formats.markdown) document["markdown"] = page.content->markdown;
    if (formats.html && !page.content->html.empty()) document["html"] = page.content->html;
    if (formats.raw_html) move_field(details, "rawHtml", document);
    if (formats.links) move_field(details, "links", document);
    if (formats.images) move_field(details, "images", document);
    move_field(details, "attributes", document);
    move_field(details, "changeTracking", document);
    move_field(details, "warning", document);
    document["metadata"] = metadata_of(page, details);
    return document;
}

}  // namespace quarry::api
