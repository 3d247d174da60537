// What a language model's server answered. Its bytes are as hostile as any page's, and the model's own words
// are no better: JSON that was asked for may come with words around it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "base/result.h"

namespace quarry::chat {

struct ModelAnswer {
    std::string text{};    // what the model said; the arguments, if it called the tool that it was given
    bool was_cut = false;  // it had no room to finish
};

// Of POST /v1/chat/completions. `corrupt` if the body is no such answer, `refused` if the model says that it
// will not answer.
Result<ModelAnswer> parse_model_answer(std::string_view body);

// The object or list in what a model said: all of it, in a fence, after its thoughts, or between other words.
std::optional<boost::json::value> json_in(std::string_view text);

}  // namespace quarry::chat
