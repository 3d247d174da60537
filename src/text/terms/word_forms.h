// What a word counts as when words are compared. LetterFolder takes case, accents, width and other dress
// off its letters; it asks Unicode once per letter and then remembers. Stemmer takes off its ending, so
// that "connected" finds "connection". The script decides by which language's rules, never a guess at the
// language: text and query must be read by the same rules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace quarry::text {

// What a letter counts as when words are compared: without case, accents, width and other dress. Everything
// that Unicode has to say about words is asked here, once per letter, and then remembered.

enum class LetterKind : std::uint8_t {
    none,        // belongs to no word
    letter,      //
    digit,       // folded to 0-9 in every script
    character,   // of a script without spaces, and often a word by itself: Han, Hangul
    phonetic,    // of a script without spaces, and rarely a word by itself: kana, Thai, Khmer
    mark,        // belongs to the letter before it, and makes a difference: vowel signs of Indic scripts
    silent,      // inside a word, but makes no difference: accents, soft hyphens, joiners
    apostrophe,  // in its typographic forms
    hyphen,      // likewise
};

struct FoldedLetter {
    LetterKind kind = LetterKind::none;
    std::uint8_t size = 0;
    std::array<char, 6> bytes{};  // UTF-8; may be several letters, such as "ss"

    std::string_view text() const { return {bytes.data(), size}; }
};

// A letter where it stands in a text; what composes with the letter before it has been composed.
struct ReadLetter {
    FoldedLetter folded{};
    std::uint32_t end = 0;
};

// Remembers what it was asked, in pages of 256 letters: one per thread.
class LetterFolder {
public:
    // The letter at `at`, which is inside the text. An invalid byte is of no kind.
    ReadLetter read(std::string_view text, std::size_t at);

    const FoldedLetter& fold(char32_t point);

private:
    using Page = std::array<FoldedLetter, 256>;
    std::vector<std::unique_ptr<Page>> pages_{};
};

}  // namespace quarry::text

// Words without their endings, so that "connected" finds "connection". The script decides by which language's
// rules: Porter's for Latin letters, Snowball's for Cyrillic, Greek, Arabic and Devanagari. A guess at the
// language would err, and text and query must never be read by different rules.

struct sb_stemmer;

namespace quarry::text {

// Remembers stems, since few words make up most of a text: one per thread.
class Stemmer {
public:
    Stemmer();
    ~Stemmer();
    Stemmer(Stemmer&&) noexcept;
    Stemmer& operator=(Stemmer&&) noexcept;

    // The stem of a folded word; the word itself if it mixes scripts, has digits or signs, or is of a script
    // without rules. The view lives until the next call, or as long as the word.
    std::string_view stem(std::string_view word);

private:
    struct Remembered;
    std::string_view stem_by_rules(std::string_view word);

    std::vector<Remembered> cache_;
    std::array<sb_stemmer*, 5> rules_{};  // by script, opened when first needed
};

}  // namespace quarry::text
