// All that is wanted of one page beside its words, answered in one go.
#pragma once

#include <stop_token>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "chat/answer_page.h"
#include "chat/model.h"
#include "model/data_wish.h"

namespace quarry::chat {

// `json`, `summary`, `answer` and `highlights`, as far as they are wished for. Data that does not keep its
// schema is given with a `warning`. Without a model only data that the page itself states is there. Fails as
// answer_page does.
Result<boost::json::object> answers_about(const PageText& page, const DataWish& wish, Model* model,
                                          const std::stop_token& stop);

}  // namespace quarry::chat
