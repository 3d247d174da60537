// How often a test repeats what it does at random or hurts.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace quarry::test {

// `normal` runs in ./test; twenty times as many in ./test --slow, which sets QUARRY_LONG; a quarter under
// sanitizers, where each costs several times as much and shows another kind of fault.
inline std::uint64_t rounds(std::uint64_t normal) {
    if (std::getenv("QUARRY_LONG") != nullptr) return normal * 20;
#ifdef QUARRY_SANITIZED
    return (normal + 3) / 4;
#else
    return normal;
#endif
}

}  // namespace quarry::test
