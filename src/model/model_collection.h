// A named set of pages with one embedder, searched together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/base_clock.h"
#include "base/result.h"

namespace quarry {

// Where the vectors of a collection come from. Vectors of two of these never meet.
struct EmbedderFacts {
    std::string provider{};  // "builtin", "tei", "openai", or "none": found by words alone
    std::string model{};     // as the service names it; "" for builtin
    int dimensions = 0;
    std::string version{};  // what else tells two states of a model apart: TEI's model_sha

    friend bool operator==(const EmbedderFacts&, const EmbedderFacts&) = default;
};

struct Collection {
    std::string name{};
    EmbedderFacts embedder{};  // dimensions 0: nothing has been embedded yet
    Timestamp created_at{};
    std::int64_t pages = 0;
};

// "no collection "x"; there are: docs, news". `not_found`.
Error no_such_collection(std::string_view name, const std::vector<Collection>& known);

}  // namespace quarry
