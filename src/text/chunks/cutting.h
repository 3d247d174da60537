// Where a text may be cut without hurting a reader, and the size of a text in what embedders count,
// estimated. Chunks are measured thousands of times while they are packed, so costs add up: a text's cost
// is at most that of its parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quarry::text {

// The size of a text in what embedders count, estimated. Chunks are measured thousands of times while they
// are packed, so costs add up: a text's cost is at most that of its parts.

inline constexpr std::uint64_t cost_per_token = 16;

// In sixteenths of a token. Every byte costs something, so a bound on the cost is one on the bytes.
std::uint64_t token_cost(std::string_view text);

// Where a text may be cut without hurting a reader.

// Where the sentence that begins at `at` ends, the space behind it not included; the text's end if it is the
// last. A full stop in the middle of a name, a number or behind a common abbreviation ends nothing.
std::size_t sentence_end(std::string_view text, std::size_t at);

// The longest beginning of the text that costs no more than `limit` (see token_cost.h), cut behind a space
// or a comma if there is one in its second half, else between characters. Never 0 unless the text is empty.
std::size_t cut_within(std::string_view text, std::uint64_t limit);

// The begin of the last whole sentences that cost no more than `limit` together; the text's end if there is
// none, or if the text does not end like a sentence.
std::size_t last_sentences(std::string_view text, std::uint64_t limit);

}  // namespace quarry::text
