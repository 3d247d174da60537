// Names of authors out of the values and lines in which pages put them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quarry::extract {

enum class NameSource : std::uint8_t {
    value,   // stated as a name: only "By" is taken off
    byline,  // a line for readers: also "Von", "Par", "Written by" …, which could begin a name as well
};

// "Ann Lee" of "By Ann Lee | 5 March 2024"; "" if it does not look like a name: a URL, an address, a number,
// a sentence. Several people stay as they are written.
std::string author_name(std::string_view text, NameSource source = NameSource::value);

}  // namespace quarry::extract
