#include "extract/markdown/blocks.h"

#include <algorithm>
#include <utility>

namespace quarry::extract::markdown {

namespace {

// Nesting that is deeper than this is written flat: indentation would make the output quadratic in the depth,
// and nobody can read it.
constexpr std::size_t deepest_container = 32;
constexpr std::size_t widest_prefix = 96;

std::string_view without_trailing_spaces(std::string_view text) {
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

// In a tight item a blank line would make the whole list loose, so it is left out where the next block cannot
// be taken for part of the one before.
bool BlockOutput::needs_blank_line(const Container& parent, Block kind, const Container* container) {
    const Block last = parent.last;
    if (kind == Block::list && last == Block::list && container->list == parent.last_list)
        return !container->tight;
    if (kind == Block::definition) return last != Block::term && last != Block::definition;
    if (last == Block::alert) return kind == Block::table || (kind == Block::list && container->needs_room);
    if (kind == Block::term) return last != Block::term;
    if (!parent.tight) return true;
    if (kind == Block::list) return container->needs_room;
    return kind != Block::code && last != Block::code && last != Block::heading;
}

void BlockOutput::separate(std::size_t parent_index, Block kind, const Container* container) {
    Container& parent = containers_[parent_index];
    if (parent.last == Block::none) return;
    const std::string_view prefix = std::string_view(prefix_).substr(0, parent.prefix_size);
    out_ += '\n';
    if (needs_blank_line(parent, kind, container)) {
        out_ += without_trailing_spaces(prefix);
        out_ += '\n';
    }
    out_ += prefix;
}

void BlockOutput::begin(Block kind) {
    if (first_pending_ == containers_.size()) separate(containers_.size() - 1, kind, nullptr);
    for (; first_pending_ < containers_.size(); ++first_pending_) {
        const Container& container = containers_[first_pending_];
        Container& parent = containers_[first_pending_ - 1];
        separate(first_pending_ - 1, container.kind, &container);
        out_ += container.marker;
        parent.last = container.kind;
        if (container.kind != Block::list) continue;
        parent.last_list = container.list;
        parent.last_marker = container.marker[container.marker.size() - 2];
    }
    containers_.back().last = kind;
}

void BlockOutput::next_line() {
    out_ += '\n';
    out_ += prefix_;
}

void BlockOutput::write_lines(std::string_view text) {
    while (true) {
        const std::size_t newline = text.find('\n');
        out_ += text.substr(0, newline);
        if (newline == std::string_view::npos) return;
        out_ += '\n';
        text.remove_prefix(newline + 1);
        // An empty line needs no indentation, but a quote's mark.
        out_ += text.empty() || text.front() == '\n' ? without_trailing_spaces(prefix_)
                                                     : std::string_view(prefix_);
    }
}

List BlockOutput::begin_list(bool ordered, std::uint32_t start, bool tight) {
    const Container& parent = containers_.back();
    char marker = ordered ? '.' : '-';
    // Lists in a row are told apart by their markers.
    if (parent.last == Block::list && parent.last_marker == marker) marker = ordered ? ')' : '*';
    return {.id = ++lists_, .marker = marker, .tight = tight, .number = start};
}

void BlockOutput::open(Block kind, std::string marker, std::string_view line_prefix) {
    if (containers_.size() > deepest_container || prefix_.size() > widest_prefix) {
        ++invisible_;
        return;
    }
    prefix_ += line_prefix;
    containers_.push_back({.marker = std::move(marker),
                           .prefix_size = static_cast<std::uint32_t>(prefix_.size()),
                           .kind = kind});
}

void BlockOutput::open_item(List& list) {
    std::string marker = list.ordered() ? std::to_string(list.number) : std::string();
    marker += list.marker;
    marker += ' ';
    const bool later = list.ordered() && list.number != 1;
    const std::string indent(marker.size(), ' ');
    ++list.number;
    open(Block::list, std::move(marker), indent);
    if (invisible_ > 0) return;
    containers_.back().list = list.id;
    containers_.back().tight = list.tight;
    containers_.back().needs_room = later;
}

void BlockOutput::open_quote() {
    open(Block::quote, "> ", "> ");
}

void BlockOutput::open_footnote(std::string_view label) {
    open(Block::footnote, "[^" + std::string(label) + "]: ", "    ");
}

void BlockOutput::close_container() {
    if (invisible_ > 0) {
        --invisible_;
        return;
    }
    containers_.pop_back();
    prefix_.resize(containers_.back().prefix_size);
    first_pending_ = std::min(first_pending_, containers_.size());
}

void BlockOutput::write_empty_container() {
    if (invisible_ > 0 || !container_is_empty()) return;
    // Right below a line of text, a lone hyphen would underline it as a heading.
    containers_.back().needs_room = true;
    begin(Block::none);
    while (out_.ends_with(' ')) out_.pop_back();
}

bool BlockOutput::after_hyphen() const {
    return containers_.back().last == Block::none && containers_.back().marker == "- ";
}

std::string BlockOutput::take() {
    if (!out_.empty()) out_ += '\n';
    return std::move(out_);
}

}  // namespace quarry::extract::markdown
