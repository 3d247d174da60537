// The fields of a document that are not words of the page: data, a summary, answers.
#pragma once

#include <stop_token>

#include <boost/json.hpp>

#include "api/firecrawl/data_request.h"
#include "base/result.h"
#include "chat/answer_page.h"
#include "model/formats.h"
#include "model/stored_page.h"

namespace quarry::api {

// What is stored of a page so that it can be asked about.
void store_for_answers(Formats& formats);

// The page as chat/ reads it; it was stored with the forms above.
chat::PageText text_of_page(const StoredPage& page);

// Adds `json`, `summary`, `answer` and `highlights` as far as they are wished for. Data that does not keep
// its schema is given with a `warning`. `model` may be null; fails as chat::answer_page does.
Result<void> add_answers(const StoredPage& page, const DataWish& wish, chat::Model* model,
                         const std::stop_token& stop, boost::json::object& document);

// {"success": false} in Firecrawl's words, for what add_answers failed with.
int status_of_answer(ErrorCode code);

}  // namespace quarry::api
