// What a service says when it refuses, made fit to stand in a sentence of ours.
#pragma once

#include <string>
#include <string_view>

namespace quarry::embed {

// The words of an error's body: TEI's {"error":"…"} and {"message":"…"}, OpenAI's {"error":{"message":"…"}},
// or the body itself if it is none of these.
std::string words_of_error(std::string_view body);

// One line of bounded length, valid UTF-8, without the key: a careless server repeats it.
std::string quoted_words(std::string_view words, std::string_view key);

}  // namespace quarry::embed
