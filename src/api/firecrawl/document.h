// A stored page as Firecrawl's clients know it, with the fields that are not words of the page: data, a
// summary, answers.
// For a scrape the answers are made once the page is stored, for the client that waits for it. For the pages
// of a crawl the worker made them (work/page).
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "api/firecrawl/page_request.h"
#include "base/result.h"
#include "chat/page_questions.h"
#include "model/page_options.h"
#include "model/stored_page.h"

namespace quarry::api {

// The fields of a document that are not words of the page: data, a summary, answers. For a scrape they are
// made once the page is stored, for the client that waits for it. For the pages of a crawl the worker made
// them (work/).

// Adds the formats that have to be stored so that questions about the page can be answered.
void store_for_answers(Formats& formats);

// Adds the result of chat::answers_about for a page that was stored with the formats above. Fails as
// chat::answers_about does.
Result<void> add_answers(const StoredPage& page, const DataWish& wish, chat::Model* model,
                         const std::stop_token& stop, boost::json::object& document);

// Adds answers to a document; a warning is appended to the one that the document has.
void put_answers(boost::json::object answers, boost::json::object& document);

// The HTTP status of the {"success": false} that Firecrawl gives for an error of add_answers.
int status_of_answer(ErrorCode code);

// A stored page as Firecrawl's clients know it.

// How an answer gives the pictures of a page.
struct MediaLinks {
    std::string origin{};      // of their addresses: "http://127.0.0.1:3002"
    std::string_view media{};  // as stored; if set, the pictures are written into the document itself
};

// The document has the formats that were asked for, as far as the page was stored with them, and the page's
// metadata. The page has been read with its content.
boost::json::object firecrawl_document(const StoredPage& page, const Formats& formats,
                                       const MediaLinks& links = {});

}  // namespace quarry::api
