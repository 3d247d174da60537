// Cuts a document's markdown into chunks, each with the headings it stands under. A chunk ends where a
// section, a paragraph, a list item or a sentence does; never inside a code block or a table row, unless
// that alone exceeds the maximum. Then the parts of a code block are fenced again, and those of a table
// repeat its header.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/document.h"

namespace quarry::text {

// Under which headings a passage stands.

// A heading's line or lines as a reader sees them: without #, link targets and emphasis. Long ones are cut.
std::string plain_heading(std::string_view markdown);

// A heading and those above it. A path shares its upper part with others.
struct HeadingPath {
    std::shared_ptr<const HeadingPath> parent{};
    std::string text{};
    int level = 0;  // 0 for the page's title
    int depth = 0;  // how many headings it has above it
};
using SharedPath = std::shared_ptr<const HeadingPath>;

// The path of a new heading that comes behind one with the path `before`.
SharedPath path_below(SharedPath before, int level, std::string text);

// The deepest path that both are below of.
SharedPath common_path(SharedPath one, SharedPath other);

// From the top down; without a heading that only repeats the one above it, as a page's first often does its
// title.
std::vector<std::string> headings_of(const HeadingPath* path);

// Cuts a document's markdown into chunks. A chunk ends where a section, a paragraph, a list item or a
// sentence does; never inside a code block or a table row, unless that alone exceeds the maximum. Then the
// parts of a code block are fenced again, and those of a table repeat its header.

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
