// The fields of a document that are not words of the page: data, a summary, answers. Of a scrape they are made
// when the page is there, for whoever waits for it; of the pages of crawls the worker made them (work/).
#pragma once

#include <stop_token>

#include <boost/json/fwd.hpp>

#include "api/firecrawl/data_request.h"
#include "base/result.h"
#include "chat/page_answers.h"
#include "model/formats.h"
#include "model/stored_page.h"

namespace quarry::api {

// What is stored of a page so that it can be asked about.
void store_for_answers(Formats& formats);

// Adds what chat::answers_about says of the page, which was stored with the forms above. Fails as that does.
Result<void> add_answers(const StoredPage& page, const DataWish& wish, chat::Model* model,
                         const std::stop_token& stop, boost::json::object& document);

// Adds answers to a document; a warning goes behind the one that is there.
void put_answers(boost::json::object answers, boost::json::object& document);

// {"success": false} in Firecrawl's words, for what add_answers failed with.
int status_of_answer(ErrorCode code);

}  // namespace quarry::api
