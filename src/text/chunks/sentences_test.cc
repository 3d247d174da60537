#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "text/chunks/cutting.h"

using namespace quarry::text;

namespace {

// The sentences of a text, with | between them.
std::string parted(std::string_view text) {
    std::string sentences;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = sentence_end(text, at);
        if (at > 0) sentences += '|';
        sentences += text.substr(at, end - at);
        at = end;
        while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) ++at;
    }
    return sentences;
}

}  // namespace

TEST_CASE("a sentence ends at a stop with a space behind it, unless the stop belongs to a word") {
    struct Row {
        std::string_view text, sentences;
    };
    for (const Row& row : {
             Row{"One. Two! Three? Four", "One.|Two!|Three?|Four"},
             Row{"He said \"no.\" Then (yes!) he left.", "He said \"no.\"|Then (yes!)|he left."},
             Row{"Wait... what?! Yes.", "Wait...|what?!|Yes."},
             Row{"Version 3.11 of node.js is out. Get it.", "Version 3.11 of node.js is out.|Get it."},
             Row{"Ask Dr. Who et al. about e.g. this. Now.", "Ask Dr. Who et al. about e.g. this.|Now."},
             Row{"J. R. Hartley wrote it. So.", "J. R. Hartley wrote it.|So."},
             Row{"**Bold.** Then `code.` Then", "**Bold.**|Then `code.`|Then"},
             Row{"One.\nTwo.", "One.|Two."},
             Row{"你好。世界！真的？是", "你好。|世界！|真的？|是"},
             Row{"「はい。」次。", "「はい。」|次。"},
             Row{"no stop at all", "no stop at all"},
             Row{"...", "..."},
         }) {
        CAPTURE(row.text);
        CHECK(parted(row.text) == row.sentences);
    }
}

TEST_CASE("a cut is made behind a space if that leaves at least half") {
    const std::string text = "alpha beta gamma delta " + std::string(300, 'x');

    const std::string_view early(text.data(), cut_within(text, 60));
    const std::string_view late = std::string_view(text).substr(0, cut_within(text, 400));

    CHECK(early == "alpha beta ");
    CHECK(late.ends_with("x"));  // half of it would be lost at the space
    CHECK(token_cost(late) <= 400);
    CHECK(cut_within("", 10) == 0);
    CHECK(cut_within("語", 1) == 3);  // at least one character, and whole
}

TEST_CASE("the last sentences are those that fit whole") {
    constexpr std::string_view text = "The first is here. The second follows. And a third.";
    const auto last = [&](std::uint64_t limit) { return text.substr(last_sentences(text, limit)); };

    CHECK(last(token_cost("And a third.")) == "And a third.");
    CHECK(last(token_cost("The second follows. And a third.")) == "The second follows. And a third.");
    CHECK(last(10'000) == text);
    CHECK(last(10).empty());
    CHECK(last_sentences("A caption without a stop", 10'000) == 24);
}
