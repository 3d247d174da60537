// Which language a text is written in.
#pragma once

#include <string>
#include <string_view>

namespace quarry::text {

// The BCP 47 code of the language of most of the text ("en", "zh-Hant"), or "" when it is too short, too
// mixed or otherwise not to be told reliably. Reads a bounded sample, less where that suffices, and of bytes that
// are no UTF-8 only the part before them. Safe to call from many threads.
std::string detect_language(std::string_view utf8);

// A language tag as pages write it, in BCP 47's spelling: "en_us" and " EN-US " become "en-US", "zh_hant_tw"
// becomes "zh-Hant-TW". "" if it is no language tag at all.
std::string normalise_language_tag(std::string_view tag);

}  // namespace quarry::text
