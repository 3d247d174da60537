// Pages that say nearly the same: print versions, the same article under two addresses, a list with another
// date on top. A simhash (Charikar 2002) is 64 bits of a text in which nearly equal texts differ in few.
#pragma once

#include <cstdint>
#include <string_view>

namespace quarry::crawl {

// Of a document's markdown or plain text, by every run of three words. Letter case, punctuation and where
// links lead make no difference. Words are separated by what is no letter or digit; where a script has no
// spaces between words, every character is one. Reads at most the first and the last 256 KB.
//
// 0 for texts of under 30 words: two short pages that differ in one word differ in what matters. Whoever
// finds 0 compares the texts themselves.
std::uint64_t simhash(std::string_view text);

// The bits in which two differ. Up to 3 of 64 is nearly the same text.
int simhash_distance(std::uint64_t one, std::uint64_t other);

}  // namespace quarry::crawl
