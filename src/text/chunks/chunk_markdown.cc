#include "text/chunks/chunk_packer.h"

#include <algorithm>
#include <utility>

#include "text/chunks/cutting.h"
#include "text/chunks/token_cost.h"

namespace quarry::text {
namespace {

constexpr std::uint64_t gap_cost = 4;  // at most, of what stands between two pieces

// What stood between two blocks, but never more than a blank line, nor a fence that a wrapping stands for.
std::string_view gap_between(std::string_view markdown, const Piece& before, const Piece& next) {
    const std::string_view gap = markdown.substr(before.end, next.begin - before.end);
    if (gap.size() <= gap_cost && gap.find_first_not_of(" \t\r\n") == std::string_view::npos) return gap;
    return gap.find('\n') == std::string_view::npos ? " " : "\n\n";
}

}  // namespace

void ChunkPacker::Group::append(Group&& more) {
    if (pieces.empty()) {
        *this = std::move(more);
    } else {
        std::ranges::move(more.pieces, std::back_inserter(pieces));
        cost += more.cost;
        has_text = has_text || more.has_text;
    }
    more = {};
}

// Siblings and descendants may join, what stands higher begins anew. Two sections of decent size stay apart:
// each is found better alone, under its own heading.
bool ChunkPacker::belong_together(const Group& group, const Group& next) const {
    if (group.pieces.empty()) return true;
    if (next.level < group.level) return false;
    return is_small(group) || is_small(next) || !group.has_text;
}

bool ChunkPacker::is_small(const Group& group) const {
    return group.cost < limits_.target / 4;
}

void ChunkPacker::begin_section(SharedPath path, int level) {
    path_ = std::move(path);
    const bool is_below = level > section_.level;
    // A heading alone goes with the first section below it.
    if (is_below && !is_flowing_ && !section_.has_text && !section_.pieces.empty()) return;
    // So does a short introduction, rather than with what stands before it.
    if (is_below && !is_flowing_ && is_small(section_) && !is_small(held_)) emit_held();
    end_section();
    section_ = {.level = level};
}

void ChunkPacker::add(Piece piece) {
    section_.cost += piece.cost + gap_cost;
    section_.has_text = section_.has_text || piece.is_text();
    section_.pieces.push_back({std::move(piece), path_});
    if (!is_flowing_ && section_.cost > limits_.maximum) {
        // A heading or a line left from before introduces this section; anything more stands alone.
        if (!is_small(held_) || !belong_together(held_, section_)) emit_held();
        held_.append(std::exchange(section_, {}));
        section_ = std::exchange(held_, {});
        is_flowing_ = true;
    }
    if (is_flowing_) flow(2 * limits_.maximum);
}

void ChunkPacker::end_section() {
    if (is_flowing_) {
        cut_evenly();
        is_flowing_ = false;
        return;
    }
    const std::uint64_t limit = held_.has_text ? limits_.target : limits_.maximum;
    if (held_.cost + section_.cost > limit || !belong_together(held_, section_)) emit_held();
    held_.append(std::exchange(section_, {}));
}

std::vector<Chunk> ChunkPacker::finish() {
    end_section();
    emit_held();
    return std::exchange(chunks_, {});
}

// Lets chunks go until no more than `keep` is left.
void ChunkPacker::flow(std::uint64_t keep) {
    while (section_.cost > keep) emit_front(take_count(limits_.target));
}

void ChunkPacker::cut_evenly() {
    const std::uint64_t usual = (limits_.target + limits_.maximum) / 2;
    while (section_.cost > limits_.maximum) {
        const std::uint64_t count = (section_.cost + usual - 1) / usual;
        emit_front(take_count(section_.cost / std::max<std::uint64_t>(count, 2)));
    }
    held_ = std::exchange(section_, {});
    emit_held();
}

// How many pieces from the front come closest to `aim`.
std::size_t ChunkPacker::take_count(std::uint64_t aim) const {
    const std::vector<Held>& pieces = section_.pieces;
    const std::size_t repeated = pieces.front().piece.is_repeated ? 1 : 0;
    std::uint64_t cost = 0;
    std::size_t count = 0;
    for (; count < pieces.size(); ++count) {
        const std::uint64_t with = cost + pieces[count].piece.cost + gap_cost;
        const bool is_closer = with <= aim || with - aim <= aim - std::min(aim, cost);
        if (count > repeated && (with > limits_.maximum || !is_closer)) break;
        cost = with;
    }
    // Nothing that leads somewhere is left at the end, and nothing that belongs to it is left out.
    const auto parts_badly = [&](std::size_t at) {
        return at < pieces.size() && (pieces[at - 1].piece.leads || pieces[at].piece.follows);
    };
    std::size_t kept = count;
    while (kept > repeated + 1 && parts_badly(kept)) --kept;
    return parts_badly(kept) ? count : kept;
}

void ChunkPacker::emit_front(std::size_t count) {
    std::vector<Held>& pieces = section_.pieces;
    emit(std::span(pieces).first(count));
    const Held last = pieces[count - 1];
    for (std::size_t i = 0; i < count; ++i) section_.cost -= pieces[i].piece.cost + gap_cost;
    pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(count));
    if (pieces.empty() || !last.piece.is_running || !pieces.front().piece.is_running) return;
    Held overlap{overlap_behind(last.piece), last.path};
    const std::uint64_t cost = overlap.piece.cost + gap_cost;
    if (overlap.piece.cost == 0 || cost + pieces.front().piece.cost + gap_cost > limits_.maximum) return;
    section_.cost += cost;
    pieces.insert(pieces.begin(), std::move(overlap));
}

// The last sentences of a piece, to begin the next chunk with.
Piece ChunkPacker::overlap_behind(const Piece& last) const {
    const std::string_view text = markdown_.substr(last.begin, last.end - last.begin);
    const std::size_t begin = limits_.overlap == 0 ? text.size() : last_sentences(text, limits_.overlap);
    Piece overlap{.begin = last.begin + begin,
                  .end = last.end,
                  .is_running = true,
                  .is_cut = true,
                  .is_repeated = true};
    overlap.cost = cost_as_text(text.substr(begin));
    return overlap;
}

void ChunkPacker::emit_held() {
    if (held_.pieces.empty()) return;
    // A heading without text is no chunk of its own if there is one to end with it.
    if (!held_.has_text && !chunks_.empty() && last_cost_ + held_.cost <= limits_.maximum)
        append_to_last(held_.pieces);
    else
        emit(held_.pieces);
    held_ = {};
}

void ChunkPacker::append_to_last(std::span<const Held> pieces) {
    Chunk& last = chunks_.back();
    for (const Held& held : pieces) {
        last.text += "\n\n";
        append_piece(last.text, markdown_, held.piece);
        last.end = static_cast<std::uint32_t>(held.piece.end);
        last_cost_ += held.piece.cost + gap_cost;
    }
}

void ChunkPacker::emit(std::span<const Held> pieces) {
    while (pieces.size() > 1 && pieces.front().piece.is_rule) pieces = pieces.subspan(1);
    while (pieces.size() > 1 && pieces.back().piece.is_rule) pieces = pieces.first(pieces.size() - 1);
    Chunk chunk;
    const bool has_text = std::ranges::any_of(pieces, [](const Held& held) { return held.piece.is_text(); });
    SharedPath path;
    bool is_first = true;
    last_cost_ = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const Piece& piece = pieces[i].piece;
        const bool goes_on = i > 0 && piece.wrapping && piece.wrapping == pieces[i - 1].piece.wrapping;
        if (i > 0) {
            const Piece& before = pieces[i - 1].piece;
            if (before.wrapping && !goes_on) chunk.text += before.wrapping->closing;
            chunk.text += gap_between(markdown_, before, piece);
        }
        if (piece.wrapping && !goes_on) chunk.text += piece.wrapping->opening;
        append_piece(chunk.text, markdown_, piece);
        last_cost_ += piece.cost + gap_cost;
        // Headings alone do not decide where a chunk stands, if there is text below them.
        if (has_text && !piece.is_text()) continue;
        path = is_first ? pieces[i].path : common_path(path, pieces[i].path);
        is_first = false;
    }
    if (pieces.back().piece.wrapping) chunk.text += pieces.back().piece.wrapping->closing;
    chunk.headings = headings_of(path.get());
    chunk.begin = static_cast<std::uint32_t>(pieces.front().piece.begin);
    chunk.end = static_cast<std::uint32_t>(pieces.back().piece.end);
    chunks_.push_back(std::move(chunk));
}

}  // namespace quarry::text
