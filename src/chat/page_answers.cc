#include "chat/page_answers.h"

#include <optional>

#include <boost/json.hpp>

#include "chat/page_questions.h"

namespace quarry::chat {
namespace {

namespace json = boost::json;

Result<void> add_data(const PageText& page, const DataWish& wish, Model* model, const std::stop_token& stop,
                      json::object& answers) {
    std::optional<schema::Schema> schema;
    if (!wish.schema.empty()) schema = TRY(schema::Schema::parse_text(wish.schema));
    const auto filled =
        TRY(answer_page(page, {.schema = schema ? &*schema : nullptr, .prompt = wish.prompt}, model, stop));
    answers["json"] = filled.data;
    if (!filled.problems.empty())
        answers["warning"] = "the data does not keep the schema: " + sentence_of(filled.problems);
    return {};
}

}  // namespace

Result<json::object> answers_about(const PageText& page, const DataWish& wish, Model* model,
                                   const std::stop_token& stop) {
    json::object answers;
    if (wish.wants_json) TRY(add_data(page, wish, model, stop, answers));
    if (model == nullptr) return answers;
    if (wish.wants_summary) answers["summary"] = TRY(summarise(*model, page, stop));
    if (!wish.question.empty()) answers["answer"] = TRY(answer_question(*model, page, wish.question, stop));
    if (!wish.highlights.empty()) {
        json::array quotes;
        for (const std::string& quote : TRY(find_highlights(*model, page, wish.highlights, stop)))
            quotes.emplace_back(quote);
        answers["highlights"] = std::move(quotes);
    }
    return answers;
}

}  // namespace quarry::chat
