// Answers to /v1/embeddings that may be anything: none may crash, and what is taken is finite.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "embed/openai.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view body(reinterpret_cast<const char*>(data), size);
    (void)quarry::embed::is_refused_for_size(400, body);
    const auto found = quarry::embed::parse_openai_vectors(body);
    if (!found) return 0;
    for (const auto& vector : found->vectors) {
        if (vector.empty()) std::abort();
        for (const float component : vector)
            if (!std::isfinite(component)) std::abort();
    }
    return 0;
}
