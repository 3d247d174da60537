// Data of one page in the shape that was asked for, from whatever can answer: rules, what the page says for
// machines, and, for the rest, a model if there is one.
#pragma once

#include <stop_token>
#include <string>

#include "base/result.h"
#include "chat/model.h"
#include "extract/structured/fill_schema.h"
#include "extract/structured/rules.h"
#include "schema/schema.h"

namespace quarry::chat {

struct PageText {
    std::string url{};       // where it is, after redirects
    std::string html{};      // in UTF-8
    std::string markdown{};  // what a model reads
};

struct PageRequest {
    const schema::Schema* schema = nullptr;
    const structured::Rules* rules = nullptr;
    std::string prompt{};
};

// Without a schema the data is what the rules find; without rules too it is what the model makes of the
// prompt; and without a prompt all that the page says for machines. A model is asked only for what is missing
// or wrong, or if there is a prompt. What is wrong in the end is in `problems`. Fails with
//   not_found         nothing of what is wanted was found; the sentence says what could be configured
//   unsupported       without a model: a prompt, or a schema that describes no object
// and as the model does.
Result<structured::Filled> answer_page(const PageText& page, const PageRequest& request, Model* model,
                                       const std::stop_token& stop);

}  // namespace quarry::chat
