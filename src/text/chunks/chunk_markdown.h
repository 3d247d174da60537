// Cuts a document's markdown into chunks. A chunk ends where a section, a paragraph, a list item or a
// sentence does; never inside a code block or a table row, unless that alone exceeds the maximum. Then the
// parts of a code block are fenced again, and those of a table repeat its header.
#pragma once

#include <string_view>
#include <vector>

#include "model/chunk.h"

namespace quarry::text {

// In tokens of estimate_tokens. The headings of a chunk come on top of it. A maximum below 16 counts as 16.
struct ChunkLimits {
    int target = 400;   // small neighbours are joined up to this
    int maximum = 512;  // no chunk is larger
    int overlap = 40;   // of running text repeated from the chunk before, within a section
};

// How many tokens an embedder would make of the text, estimated: what the word pieces of English, code,
// Cyrillic and CJK come to, on the high side.
int estimate_tokens(std::string_view text);

// A section that is no crumb is a chunk of its own; crumbs are joined with their neighbours below the heading
// they share, which then is the chunk's. Heading lines stay in the text. All of the text is in some chunk,
// but for blank space and the lines (---) between two.
//
// Linear time. An empty document has no chunks. `title` heads every chunk's headings unless it is "".
std::vector<Chunk> chunk_markdown(std::string_view markdown, std::string_view title,
                                  const ChunkLimits& limits);

// For a chunk that a service called too long: at least two smaller ones, by the same rules. Nothing if it
// cannot be cut any more.
std::vector<Chunk> halve(const Chunk& chunk);

}  // namespace quarry::text
