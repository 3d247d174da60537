// Questions about one page that are answered in words: what it says in short, an answer, the passages that
// matter. answers_about answers all that is wanted of one page beside its words in one go.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "chat/answer_page.h"
#include "chat/model.h"
#include "model/page_options.h"

namespace quarry::chat {

// Questions about one page that are answered in words: what it says in short, an answer, the passages that
// matter.

// The page in a few sentences, in its own language.
Result<std::string> summarise(Model& model, const PageText& page, const std::stop_token& stop);

// What the page says about the question; a sentence that it does not, if so.
Result<std::string> answer_question(Model& model, const PageText& page, std::string_view question,
                                    const std::stop_token& stop);

// Passages of the page that matter to the query, word for word: what the model made up is left out.
Result<std::vector<std::string>> find_highlights(Model& model, const PageText& page, std::string_view query,
                                                 const std::stop_token& stop);

// All that is wanted of one page beside its words, answered in one go.

// `json`, `summary`, `answer` and `highlights`, as far as they are wished for. Data that does not keep its
// schema is given with a `warning`. Without a model only data that the page itself states is there. Fails as
// answer_page does.
Result<boost::json::object> answers_about(const PageText& page, const DataWish& wish, Model* model,
                                          const std::stop_token& stop);

}  // namespace quarry::chat
