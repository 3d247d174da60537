// What a crawl asks about its pages beside their words: asked once, by the worker that reads the page, and
// kept with it.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "chat/model.h"
#include "chat/page_questions.h"
#include "model/document.h"
#include "store/outcome.h"
#include "work/page/fetch_page.h"

namespace quarry::work {

struct AnswerTools {
    std::shared_ptr<chat::Model> model{};  // shared with its client; nothing: only what pages say themselves
    int pages_at_once = 4;
};

// Sets `answers`. Any thread.
void answer(FetchedUrl& fetched, const AnswerTools& tools, const std::stop_token& stop);

// Whether the crawl wants to know something about the page that it was not asked yet.
bool must_be_answered(const FetchedUrl& fetched);
chat::PageText question_about(const FetchedUrl& fetched, const Document& document);

// A model that does not answer costs an attempt. Nothing if the page can be kept, with whatever there is.
std::optional<store::Outcome> answer_failure(const FetchedUrl& fetched, Timestamp now);

// As the page's record has them: with `error` instead, if there are none.
boost::json::object kept_answers(const FetchedUrl& fetched);

}  // namespace quarry::work
