// Data and answers that are wanted of a page, beside its words.
#pragma once

#include <string>

namespace quarry {

struct DataWish {
    bool wants_json = false;
    std::string schema{};  // JSON; "": none
    std::string prompt{};
    bool wants_summary = false;
    std::string question{};    // "": none
    std::string highlights{};  // the query; "": none

    bool wants_any() const { return wants_json || needs_model(); }
    // Whether nothing but a language model can answer.
    bool needs_model() const {
        return wants_summary || !question.empty() || !highlights.empty() || !prompt.empty();
    }

    bool operator==(const DataWish&) const = default;
};

}  // namespace quarry
