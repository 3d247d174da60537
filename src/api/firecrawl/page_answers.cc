#include "api/firecrawl/page_answers.h"

#include "api/firecrawl/document.h"
#include "chat/page_questions.h"

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

Result<void> add_data(const chat::PageText& page, const DataWish& wish, chat::Model* model,
                      const std::stop_token& stop, json::object& document) {
    std::optional<schema::Schema> schema;
    if (!wish.schema.is_null()) schema = TRY(schema::Schema::parse(wish.schema));
    const auto filled = TRY(
        chat::answer_page(page, {.schema = schema ? &*schema : nullptr, .prompt = wish.prompt}, model, stop));
    document["json"] = filled.data;
    if (!filled.problems.empty())
        warn(document, "the data does not keep the schema: " + sentence_of(filled.problems));
    return {};
}

}  // namespace

void store_for_answers(Formats& formats) {
    formats.raw_html = true;
    formats.markdown = true;
}

chat::PageText text_of_page(const StoredPage& page) {
    const json::object document = firecrawl_document(page, {.markdown = true, .raw_html = true});
    return {.url = page.facts.final_url.empty() ? page.facts.url : page.facts.final_url,
            .html = field_of(document, "rawHtml"),
            .markdown = field_of(document, "markdown")};
}

Result<void> add_answers(const StoredPage& page, const DataWish& wish, chat::Model* model,
                         const std::stop_token& stop, json::object& document) {
    if (!wish.wants_any()) return {};
    const chat::PageText text = text_of_page(page);
    if (wish.wants_json) TRY(add_data(text, wish, model, stop, document));
    if (model == nullptr) return {};
    if (wish.wants_summary) document["summary"] = TRY(chat::summarise(*model, text, stop));
    if (!wish.question.empty())
        document["answer"] = TRY(chat::answer_question(*model, text, wish.question, stop));
    if (!wish.highlights.empty()) {
        json::array quotes;
        for (const std::string& quote : TRY(chat::find_highlights(*model, text, wish.highlights, stop)))
            quotes.emplace_back(quote);
        document["highlights"] = std::move(quotes);
    }
    return {};
}

int status_of_answer(ErrorCode code) {
    const bool is_of_request =
        code == ErrorCode::not_found || code == ErrorCode::unsupported || code == ErrorCode::too_large;
    // Not 502: clients would ask again, and so would the model be.
    return is_of_request ? 400 : 500;
}

}  // namespace quarry::api
