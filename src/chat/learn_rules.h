// Rules once from a model, and then data without one: it is shown a few pages of a site and asked for
// selectors, which are tried on those pages before anybody relies on them.
#pragma once

#include <span>
#include <stop_token>

#include "base/result.h"
#include "chat/answer_page.h"
#include "chat/model.h"
#include "extract/structured/rules.h"

namespace quarry::chat {

// Rules that answer the schema on the pages: fields that no page has are dropped. One more round if the first
// rules cannot be read or find nothing. Fails as the model does, with `invalid_argument` without pages, and
// with `not_found` if no rules that find anything came of it.
Result<structured::Rules> learn_rules(Model& model, std::span<const PageText> pages,
                                      const PageRequest& request, const std::stop_token& stop);

}  // namespace quarry::chat
