// A quick look for the most frequent answer to "which language is this?". CLD2 weighs every few letters
// against its tables, about 30 ns per byte; most pages that do not name their language are English, and
// English shows in its small words at a thirtieth of that.
#pragma once

#include <string_view>

namespace quarry::text {

// True if the text has at least some twenty words and so many of them are small English words ("the", "and",
// "which") that nothing else can be meant. Words that other languages share ("in", "is", "a") do not count.
// False means only that someone must look closer. Linear.
bool is_plainly_english(std::string_view utf8);

}  // namespace quarry::text
