// A stored page as Firecrawl's clients know it, with the fields that are not words of the page: data, a
// summary, answers.
// Of a scrape the answers are made when the page is there, for the client that waits for it; of the pages
// of crawls the worker made them (work/page).
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

// The fields of a document that are not words of the page: data, a summary, answers. Of a scrape they are
// made when the page is there, for whoever waits for it; of the pages of crawls the worker made them (work/).

// What is stored of a page so that it can be asked about.
void store_for_answers(Formats& formats);

// Adds what chat::answers_about says of the page, which was stored with the forms above. Fails as that does.
Result<void> add_answers(const StoredPage& page, const DataWish& wish, chat::Model* model,
                         const std::stop_token& stop, boost::json::object& document);

// Adds answers to a document; a warning goes behind the one that is there.
void put_answers(boost::json::object answers, boost::json::object& document);

// {"success": false} in Firecrawl's words, for what add_answers failed with.
int status_of_answer(ErrorCode code);

// A stored page as Firecrawl's clients know it.

// How pictures of the page are given.
struct MediaLinks {
    std::string origin{};      // of their addresses: "http://127.0.0.1:3002"
    std::string_view media{};  // as they are stored: then they are written into the document itself
};

// With the formats that were asked for, as far as the page was stored with them, and its metadata. The page
// has been read with its content.
boost::json::object firecrawl_document(const StoredPage& page, const Formats& formats,
                                       const MediaLinks& links = {});

}  // namespace quarry::api
