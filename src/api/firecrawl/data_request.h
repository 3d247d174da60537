// Data and answers that are wanted of a page, beside its words: the formats json, summary, question and
// highlights, and what /v2/extract is asked for.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "api/server/fields.h"
#include "model/data_wish.h"

namespace quarry::api {

inline constexpr std::string_view needs_model_sentence =
    "needs a language model, which this server does not have: set model.url and model.name (or "
    "OPENAI_BASE_URL and "
    "QUARRY_MODEL_NAME)";

// False if the format is none of those above. What is wrong with one is an issue of "formats".
bool read_data_format(Fields& fields, std::string_view name, const boost::json::object& format,
                      DataWish& wish);

// The schema and the prompt that stand in an object: of a request, whose fields are named if they are wrong,
// or of a format, whose fault is that of `format_field`.
void read_schema_and_prompt(Fields& fields, const boost::json::object& object, DataWish& wish,
                            std::string_view format_field = "");

}  // namespace quarry::api
