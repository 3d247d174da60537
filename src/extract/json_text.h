// JSON answers as documents.
#pragma once

#include <string>
#include <string_view>

namespace quarry::extract {

// The same JSON with one member a line, indented by two. Only white space changes: numbers, escapes and the
// order of members stay as they were sent. What is not valid JSON, large or deeply nested comes back as it
// is.
std::string pretty_json(std::string_view text);

// A markdown code block of this language around the text, with a fence that the text cannot close.
std::string fenced(std::string_view text, std::string_view language);

}  // namespace quarry::extract
