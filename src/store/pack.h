// Pages at rest are compressed: by the threads that made them, since the writer has enough to do. What comes
// back from disk is checked and bounded, for a file may have been damaged or made by somebody else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/stored_page.h"

namespace quarry::store {

// No part of a page grows beyond this when it is unpacked.
inline constexpr std::size_t max_unpacked_bytes = 256u << 20;

// Compresses each part for itself, so that one can be read without the others; an empty part stays empty.
// Safe from any thread: each has its own context, kept for the next call. Fails with `too_large`.
Result<PackedContent> pack(const Content& content);

// The way back. Fails with `corrupt` if a part is damaged, cut off, or claims more than it can hold.
Result<Content> unpack(const PackedContent& packed);

Result<std::string> pack_text(std::string_view text);
Result<std::string> unpack_text(std::string_view packed);

// What decides whether a page has changed: its title and its words.
std::uint64_t content_hash(std::string_view title, std::string_view markdown);

}  // namespace quarry::store
