// Texts at rest are compressed: by the threads that made them, since the one that writes has enough to do.
// What comes back from disk is checked and bounded, for a file may have been damaged or made by somebody
// else.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace quarry::db {

// No text grows beyond this when it is unpacked.
inline constexpr std::size_t max_unpacked_bytes = 256u << 20;

// Nothing stays nothing. Safe from any thread: each has its own context, kept for the next call. Fails with
// `too_large`.
Result<std::string> pack_text(std::string_view text);

// The way back. Fails with `corrupt` if it is damaged, cut off, or claims more than it can hold.
Result<std::string> unpack_text(std::string_view packed);

}  // namespace quarry::db
