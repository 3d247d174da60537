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

struct BatchLimits {
    std::size_t texts = 32;
    std::size_t bytes = 1'000'000;  // of all texts together; one alone may have more
};

// How many of the first texts are one batch; at least one.
inline std::size_t first_batch(std::span<const std::string> texts, const BatchLimits& limits) {
    std::size_t count = 0, bytes = 0;
    while (count < texts.size() && count < limits.texts) {
        bytes += texts[count].size();
        if (count > 0 && bytes > limits.bytes) break;
        ++count;
    }
    return std::max<std::size_t>(1, count);
}

// `ask(batch)` returns std::expected<std::vector<Part>, BatchFailure> with one part per text.
template <typename Part, typename Ask>
Result<std::vector<Part>> in_batches(std::span<const std::string> texts, BatchLimits limits, Ask&& ask) {
    std::vector<Part> parts;
    parts.reserve(texts.size());
    while (!texts.empty()) {
        const std::span<const std::string> batch = texts.first(first_batch(texts, limits));
        std::expected<std::vector<Part>, BatchFailure> answer = ask(batch);
        if (answer) {
            std::ranges::move(*answer, std::back_inserter(parts));
            texts = texts.subspan(batch.size());
        } else if (answer.error().is_batch_too_large && batch.size() > 1) {
            limits.texts = batch.size() / 2;
        } else {
            return std::unexpected(std::move(answer.error().error));
        }
    }
    return parts;
}

}  // namespace quarry::embed
