// A list of texts in requests of a size the service takes. What it says about its limits is believed until it
// refuses: then half as many are sent, down to one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <expected>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace quarry::embed {

struct BatchFailure {
    Error error;
    bool is_batch_too_large = false;  // fewer texts at once may do
};

// `ask(batch)` returns std::expected<std::vector<Part>, BatchFailure> with one part per text.
template <typename Part, typename Ask>
Result<std::vector<Part>> in_batches(std::span<const std::string> texts, std::size_t most, Ask&& ask) {
    std::vector<Part> parts;
    parts.reserve(texts.size());
    std::size_t size = std::max<std::size_t>(1, most);
    while (!texts.empty()) {
        const std::span<const std::string> batch = texts.first(std::min(size, texts.size()));
        std::expected<std::vector<Part>, BatchFailure> answer = ask(batch);
        if (answer) {
            std::ranges::move(*answer, std::back_inserter(parts));
            texts = texts.subspan(batch.size());
        } else if (answer.error().is_batch_too_large && batch.size() > 1) {
            size = batch.size() / 2;
        } else {
            return std::unexpected(std::move(answer.error().error));
        }
    }
    return parts;
}

}  // namespace quarry::embed
