#include "work/page/model_answers.h"

#include <boost/json.hpp>

#include "work/retry.h"

namespace quarry::work {

void answer(FetchedUrl& fetched, const AnswerTools& tools, const std::stop_token& stop) {
    fetched.answers =
        chat::answers_about(*fetched.question, fetched.crawl->options.data, tools.model.get(), stop);
}

bool must_be_answered(const FetchedUrl& fetched) {
    return fetched.crawl->options.data.wants_any() && !fetched.answers && fetched.page->status < 400;
}

chat::PageText question_about(const FetchedUrl& fetched, const Document& document) {
    return {.url = fetched.page->final_url, .html = document.raw_html, .markdown = document.markdown};
}

std::optional<store::Outcome> answer_failure(const FetchedUrl& fetched, Timestamp now) {
    if (!fetched.answers || *fetched.answers) return std::nullopt;
    const Error& error = fetched.answers->error();
    if (error.code == ErrorCode::interrupted) return store::Outcome{.end = store::Snooze{now, error.message}};
    const bool is_last = fetched.lease.attempt >= fetched.lease.max_attempts;
    if (is_last || !is_worth_another_attempt(error.code)) return std::nullopt;
    const Timestamp again = next_attempt(fetch_backoff, fetched.lease.attempt, now);
    return store::Outcome{.end = store::Retry{error.message, again, error.code},
                          .status = fetched.page->status};
}

boost::json::object kept_answers(const FetchedUrl& fetched) {
    if (!fetched.answers) return {};
    if (*fetched.answers) return **fetched.answers;
    return {{"error", fetched.answers->error().message}};
}

}  // namespace quarry::work
