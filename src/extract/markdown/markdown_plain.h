// Most of a page's text needs no second look when it is written as markdown. This finds how far that goes.
#pragma once

#include <cstddef>
#include <string_view>

namespace quarry::extract::markdown {

// The end of the plain stretch that begins at `start`: bytes of ByteClass::plain, and single spaces between
// them.
std::size_t find_plain_end(std::string_view text, std::size_t start);

// The same, byte by byte: for processors without AVX2, and to test the other against.
std::size_t find_plain_end_slowly(std::string_view text, std::size_t start);

}  // namespace quarry::extract::markdown
