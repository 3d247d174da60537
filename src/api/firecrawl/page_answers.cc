#include "api/firecrawl/document.h"

#include <boost/json.hpp>

#include "api/firecrawl/firecrawl_document.h"

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

}  // namespace quarry::api
