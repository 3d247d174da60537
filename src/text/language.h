// Which language a text is written in. CLD2 weighs every few letters against its tables, about 30 ns per
// byte. Most pages that do not name their language are English, and English shows in its small words at a
// thirtieth of that: is_plainly_english looks for those first.
#pragma once

#include <string>
#include <string_view>

namespace quarry::text {

// A quick look for the most frequent answer to "which language is this?". CLD2 weighs every few letters
// against its tables, about 30 ns per byte; most pages that do not name their language are English, and
// English shows in its small words at a thirtieth of that.

// True if the text has at least some twenty words and so many of them are small English words ("the", "and",
// "which") that nothing else can be meant. Words that other languages share ("in", "is", "a") do not count.
// False means only that someone must look closer. Linear.
bool is_plainly_english(std::string_view utf8);

// Which language a text is written in.

// The BCP 47 code of the language of most of the text ("en", "zh-Hant"), or "" when it is too short, too
// mixed or otherwise not to be told reliably. Reads a bounded sample, less where that suffices, and of bytes
// that are no UTF-8 only the part before them. Safe to call from many threads.
std::string detect_language(std::string_view utf8);

// A language tag as pages write it, in BCP 47's spelling: "en_us" and " EN-US " become "en-US", "zh_hant_tw"
// becomes "zh-Hant-TW". "" if it is no language tag at all.
std::string normalise_language_tag(std::string_view tag);

}  // namespace quarry::text
