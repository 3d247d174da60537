// Patterns as JSON Schema writes them (those of ECMAScript), matched by RE2, which takes linear time whatever
// the pattern.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace quarry::schema {

// Immutable: many threads may match with one.
class Pattern {
public:
    // `invalid_argument` if it is none, or one that RE2 does not know (look-around, back-references);
    // `too_large` if it is longer than 4 KB or needs more than a megabyte.
    static Result<Pattern> parse(std::string_view text);

    Pattern(Pattern&&) noexcept;
    Pattern& operator=(Pattern&&) noexcept;
    ~Pattern();

    // Anywhere in the text, unless the pattern says otherwise.
    bool is_in(std::string_view text) const;

private:
    explicit Pattern(std::unique_ptr<re2::RE2> compiled);
    std::unique_ptr<re2::RE2> compiled_;
};

// The same pattern in RE2's syntax, where the two differ in words only.
std::string in_re2_syntax(std::string_view pattern);

}  // namespace quarry::schema
