// Words without their endings, so that "connected" finds "connection". The script decides by which language's
// rules: Porter's for Latin letters, Snowball's for Cyrillic, Greek, Arabic and Devanagari. A guess at the
// language would err, and text and query must never be read by different rules.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

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
