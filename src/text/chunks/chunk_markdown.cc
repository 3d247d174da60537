// Packs pieces into chunks: what belongs to one section together, small sections with their neighbours below
// the same heading, large ones in parts of about the same size.
#include "text/chunks/chunk_markdown.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "model/document.h"
#include "text/chunks/cutting.h"
#include "text/chunks/pieces.h"
#include "text/markdown/blocks.h"
#include "text/markdown/marks.h"

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

namespace {

constexpr std::size_t longest_heading = 150;

// Without the # before and behind, or the underline.
std::string_view without_marks(std::string_view line) {
    line = trimmed(line);
    if (!line.starts_with('#')) return trimmed(line.substr(0, line.find('\n')));
    line.remove_prefix(std::min(line.find_first_not_of('#'), line.size()));
    line = trimmed(line);
    const std::size_t last = line.find_last_not_of('#');
    const bool has_closing =
        last != std::string_view::npos && last + 1 < line.size() && is_ascii_space(line[last]);
    return has_closing ? trimmed(line.substr(0, last)) : line;
}

// Signs that documentation sites append as links to the heading itself.
void drop_anchor(std::string& heading) {
    for (const std::string_view sign : {"¶", "§", "🔗", " #"})
        if (heading.ends_with(sign)) heading.resize(heading.size() - sign.size());
    heading = std::string(trimmed(heading));
}

void cut(std::string& heading) {
    if (heading.size() <= longest_heading) return;
    std::size_t end = longest_heading;
    while (end > 0 && (static_cast<unsigned char>(heading[end]) & 0xC0) == 0x80) --end;
    heading.resize(end);
    heading += "…";
}

}  // namespace

std::string plain_heading(std::string_view markdown) {
    const std::string_view line = without_marks(markdown.substr(0, 4096));
    MarkdownMarks marks(line);
    std::string heading;
    for (std::size_t at = 0; at < line.size();) {
        const char c = line[at];
        if (const std::size_t behind = marks.skip(at); behind > at) {
            if (c == '&') heading += line.substr(at, behind - at);  // an entity is a sign, not a mark
            at = behind;
        } else if (c == '\\' && at + 1 < line.size() && is_ascii_punctuation(line[at + 1])) {
            heading += line[at + 1];
            at += 2;
        } else {
            const bool is_mark = !marks.is_code(at) && (c == '*' || c == '[' || c == ']' ||
                                                        (c == '!' && line.substr(at, 2) == "!["));
            if (!is_mark && c != '`') heading += c;
            ++at;
        }
    }
    drop_anchor(heading);
    cut(heading);
    return heading;
}

SharedPath path_below(SharedPath before, int level, std::string text) {
    while (before && before->level >= level) before = before->parent;
    const int depth = before ? before->depth + 1 : 0;
    return std::make_shared<const HeadingPath>(HeadingPath{std::move(before), std::move(text), level, depth});
}

SharedPath common_path(SharedPath one, SharedPath other) {
    while (one && other && one != other) {
        if (one->depth >= other->depth)
            one = one->parent;
        else
            other = other->parent;
    }
    return one && other ? one : nullptr;
}

std::vector<std::string> headings_of(const HeadingPath* path) {
    std::vector<std::string> headings;
    for (; path != nullptr; path = path->parent.get())
        if (!path->text.empty() && (headings.empty() || headings.back() != path->text))
            headings.push_back(path->text);
    std::ranges::reverse(headings);
    return headings;
}

namespace {

// Below this a fence around a line of code would not fit.
constexpr int smallest_maximum = 16;
// Positions in a chunk have 32 bits.
constexpr std::size_t longest_markdown = 0xFFFFFFF0;

PackingLimits packing_limits(const ChunkLimits& limits) {
    const auto maximum = static_cast<std::uint64_t>(std::max(limits.maximum, smallest_maximum));
    const auto target =
        std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::max(limits.target, 1)), 1, maximum);
    const auto overlap = std::min(static_cast<std::uint64_t>(std::max(limits.overlap, 0)), target / 2);
    return {target * cost_per_token, maximum * cost_per_token, overlap * cost_per_token};
}

std::string_view trimmed_end(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::vector<Chunk> chunk_within(std::string_view markdown, SharedPath path, const PackingLimits& limits) {
    // A piece may get a gap, and a part of it a backslash.
    constexpr std::uint64_t reserve = 2 * cost_per_token;
    const PieceLimits piece_limits{.target = limits.target - std::min(limits.target / 4, reserve),
                                   .maximum = limits.maximum - reserve};
    ChunkPacker packer(markdown, limits);
    const PieceSink deliver = [&](Piece piece) { packer.add(std::move(piece)); };
    packer.begin_section(path, 0);
    MarkdownBlocks blocks(markdown);
    while (const std::optional<Block> block = blocks.next()) {
        if (block->kind == BlockKind::heading) {
            path = path_below(path, block->level,
                              plain_heading(markdown.substr(block->begin, block->end - block->begin)));
            packer.begin_section(path, block->level);
        }
        cut_block(markdown, *block, piece_limits, deliver);
    }
    return packer.finish();
}

}  // namespace

std::vector<Chunk> chunk_markdown(std::string_view markdown, std::string_view title,
                                  const ChunkLimits& limits) {
    const SharedPath path = title.empty() ? nullptr : path_below(nullptr, 0, plain_heading(title));
    return chunk_within(trimmed_end(markdown.substr(0, longest_markdown)), path, packing_limits(limits));
}

std::vector<Chunk> halve(const Chunk& chunk) {
    const int tokens = estimate_tokens(chunk.text);
    std::vector<Chunk> halves;
    for (int maximum = tokens * 2 / 3; maximum >= 1 && halves.size() < 2; maximum = maximum / 2) {
        const ChunkLimits limits{.target = std::max(maximum * 3 / 4, 1), .maximum = maximum, .overlap = 0};
        halves = chunk_markdown(chunk.text, "", limits);
        if (maximum < smallest_maximum) break;
    }
    if (halves.size() < 2) return {};
    for (Chunk& half : halves) {
        if (half.text.size() >= chunk.text.size()) return {};
        std::vector<std::string> headings = chunk.headings;
        for (std::string& heading : half.headings)
            if (std::ranges::find(headings, heading) == headings.end())
                headings.push_back(std::move(heading));
        half.headings = std::move(headings);
        half.begin = std::min(chunk.begin + half.begin, chunk.end);
        half.end = std::min(chunk.begin + half.end, chunk.end);
    }
    return halves;
}

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
