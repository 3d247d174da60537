// What chunks are packed from: whole blocks, or where a block alone is too large, the smallest parts of it
// that still read well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "text/markdown/blocks.h"

namespace quarry::text {

// What makes a part of a code block or table whole again.
struct Wrapping {
    std::string opening{}, closing{};  // with the line ends towards the part
};

struct Piece {
    std::size_t begin = 0, end = 0;              // in the markdown
    std::uint64_t cost = 0;                      // of its text and wrapping; see token_cost.h
    std::shared_ptr<const Wrapping> wrapping{};  // shared by the parts of one block
    bool is_heading = false;
    bool is_rule = false;      // a line across the page, which no chunk needs at its ends
    bool is_running = false;   // text that reads on from the piece before
    bool is_cut = false;       // a part whose lines may look like something else than in the whole
    bool is_repeated = false;  // from the chunk before
    bool leads = false;        // should stand before what comes next: "as follows:"
    bool follows = false;      // should not be parted from what comes before: the rest of a list item

    bool is_text() const { return !is_heading && !is_rule; }
};

struct PieceLimits {
    std::uint64_t target = 0, maximum = 0;  // no piece costs more than the maximum
};

using PieceSink = std::function<void(Piece)>;

// Delivers the block in order: whole if it costs no more than the maximum, else in parts of about the target
// (code, tables) or in lines and sentences (text), to be packed together again. Linear.
void cut_block(std::string_view markdown, const Block& block, const PieceLimits& limits,
               const PieceSink& deliver);

// Adds the piece's own text, without wrapping.
void append_piece(std::string& text, std::string_view markdown, const Piece& piece);

// What a piece without wrapping costs.
std::uint64_t cost_as_text(std::string_view part);

}  // namespace quarry::text
