// What words search and the builtin space see in a text. Case, accents and endings are folded (Porter's
// stemmer for Latin script, Snowball's Russian for Cyrillic), CJK runs become overlapping pairs, and
// identifiers such as std::vector or foo_bar are there both as they were typed and in their parts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::text {

struct Term {
    std::string_view text{};           // folded, stemmed
    std::uint32_t begin = 0, end = 0;  // of what it was made from, in bytes
    // Of an identifier that is itself a term, or another way to write what other terms say ("nonlinear" for
    // "non-linear", a Chinese character besides its pairs): adds nothing to the text's length.
    bool is_part = false;
};

// How often each term occurs, in no particular order: all that ranking needs to know of a chunk.
struct TermCount {
    std::string_view term{};
    std::uint32_t count = 0;
};
struct TermBag {
    std::vector<TermCount> counts{};
    std::uint32_t length = 0;                      // terms in all, parts not counted
    std::shared_ptr<const std::string> letters{};  // what the terms point into
};

// Keeps its buffers from text to text: one per thread.
class TermReader {
public:
    TermReader();
    ~TermReader();
    TermReader(TermReader&&) noexcept;
    TermReader& operator=(TermReader&&) noexcept;

    // In order of appearance. Markdown's marks and link targets are no words. Valid until the next call.
    std::span<const Term> read(std::string_view text);

    // Of several texts together, such as headings and body.
    TermBag count(std::span<const std::string_view> texts);

private:
    struct Buffers;
    std::unique_ptr<Buffers> buffers_;
};

// True for words such as "the" and "how" that a question has but an answer need not; given as a Term has
// them.
bool is_stop_word(std::string_view term);

}  // namespace quarry::text
