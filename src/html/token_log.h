// The tokens of a page as lines of text, for tests.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "html/tokenizer.h"

namespace quarry::html {

enum class CdataSections : bool { off, on };

std::string in_quotes(std::string_view text);

// Runs the tokenizer over a page. One line per token, runs of text joined:
//   StartTag a href="x" class="y"   (attributes sorted by name)
//   Character some text
class TokenLog {
public:
    explicit TokenLog(std::string input) { source_.bytes = std::move(input); }

    std::vector<std::string> run(TokenizerState state = TokenizerState::data, std::string_view end_tag = {},
                                 CdataSections sections = CdataSections::off);

private:
    void add(const Token& token, const Doctype& doctype);
    void add_text(std::string_view text);
    std::string start_tag(const Token& token) const;
    std::string name(Tag tag) const;

    SourceText source_;
    std::vector<Attribute> attributes_;
    std::vector<std::string> lines_;
};

}  // namespace quarry::html
