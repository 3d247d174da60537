// Packs pieces into chunks: what belongs to one section together, small sections with their neighbours below
// the same heading, large ones in parts of about the same size.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/chunk.h"
#include "text/chunks/pieces.h"
#include "text/chunks/heading_path.h"

namespace quarry::text {

struct PackingLimits {
    std::uint64_t target = 0, maximum = 0, overlap = 0;  // in token_cost
};

// Takes sections in order, each with its pieces, and holds back only what may still be joined: memory does
// not grow with the document, but for the chunks.
class ChunkPacker {
public:
    ChunkPacker(std::string_view markdown, const PackingLimits& limits)
        : markdown_(markdown), limits_(limits) {}

    // Later pieces belong to a section with this path. `level` is its heading's.
    void begin_section(SharedPath path, int level);
    void add(Piece piece);
    std::vector<Chunk> finish();

private:
    struct Held {
        Piece piece{};
        SharedPath path{};
    };
    struct Group {
        std::vector<Held> pieces{};
        std::uint64_t cost = 0;
        int level = 0;          // of the first heading in it
        bool has_text = false;  // besides headings

        void append(Group&& more);
    };

    bool is_small(const Group& group) const;
    bool belong_together(const Group& group, const Group& next) const;
    void end_section();
    void flow(std::uint64_t keep);
    void cut_evenly();
    std::size_t take_count(std::uint64_t aim) const;
    void emit_front(std::size_t count);
    void emit_held();
    void emit(std::span<const Held> pieces);
    void append_to_last(std::span<const Held> pieces);
    Piece overlap_behind(const Piece& last) const;

    std::string_view markdown_;
    PackingLimits limits_;
    std::vector<Chunk> chunks_{};
    std::uint64_t last_cost_ = 0;  // of the last chunk
    Group held_{};                 // sections that ended and may be joined with the next
    Group section_{};              // being read
    bool is_flowing_ = false;  // the section is too large for one chunk, and some of it may be out already
    SharedPath path_{};
};

}  // namespace quarry::text
