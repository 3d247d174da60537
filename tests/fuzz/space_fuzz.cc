// Reads anything as a space, and folds a text into what was read. The checksum is made right first: with it,
// hardly an input would get behind it.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include <xxhash.h>

#include "embed/space/space.h"

using namespace quarry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string bytes(reinterpret_cast<const char*>(data), size);
    constexpr std::size_t header_bytes = 32, checksum_at = 24;
    if (size >= header_bytes) {
        const std::uint64_t checksum = XXH3_64bits(bytes.data() + header_bytes, size - header_bytes);
        std::memcpy(bytes.data() + checksum_at, &checksum, sizeof checksum);
    }
    const auto space = embed::Space::parse(bytes);
    if (!space) return 0;

    if (space->serialise() != bytes) std::abort();
    text::TermBag terms;
    terms.counts = {{"car", 1}, {"engine", 300}, {"the", 0}, {"road", 4'000'000'000}};
    for (const float x : space->fold_in(terms)) {
        if (!(std::abs(x) <= 1.001F)) std::abort();
    }
    return 0;
}
