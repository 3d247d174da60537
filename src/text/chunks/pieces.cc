#include "text/chunks/pieces.h"

#include <algorithm>

#include "base/ascii.h"
#include "text/chunks/cutting.h"

namespace quarry::text {
namespace {

bool is_rule(std::string_view text) {
    return text.size() >= 3 && std::string_view("-*_").find(text[0]) != std::string_view::npos &&
           text.find_first_not_of(text[0]) == std::string_view::npos;
}

// Many pages write their smaller headings so.
bool is_bold_line(std::string_view text) {
    constexpr std::size_t longest = 100;
    return text.size() > 4 && text.size() < longest && text.starts_with("**") && text.ends_with("**") &&
           text.find('\n') == std::string_view::npos;
}

std::size_t longest_run(std::string_view text, char mark) {
    std::size_t longest = 0, run = 0;
    for (const char c : text) {
        run = c == mark ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest;
}

// Quote marks stay before the closing fence; a list's mark would begin another item.
std::string closing_indent(std::string_view opening) {
    std::string indent(opening);
    for (char& c : indent)
        if (c != '>' && c != '\t') c = ' ';
    return indent;
}

// Calls back with each line, its end included, and where the marks are if it looks like a fence.
template <typename Visit>
void for_each_line(std::string_view part, const Visit& visit) {
    for (std::size_t at = 0; at < part.size();) {
        const std::size_t end = std::min(part.find('\n', at), part.size() - 1) + 1;
        const std::string_view line = part.substr(at, end - at);
        const Fence fence = fence_at(line, 0);
        visit(line, fence.mark == 0 ? std::string_view::npos : fence.marks_end - fence.length);
        at = end;
    }
}

class BlockCutter {
public:
    BlockCutter(std::string_view markdown, const Block& block, const PieceLimits& limits,
                const PieceSink& deliver)
        : markdown_(markdown), block_(block), limits_(limits), deliver_(deliver) {}

    void cut() {
        if (block_.kind == BlockKind::fenced_code && !block_.is_closed) wrapping_ = closing_only();
        Piece whole = piece(block_.begin, block_.end);
        if (whole.cost <= limits_.maximum) return deliver_(std::move(whole));
        wrapping_ = nullptr;
        is_too_large_ = true;
        switch (block_.kind) {
            case BlockKind::fenced_code: return cut_code();
            case BlockKind::table: return cut_table();
            case BlockKind::paragraph:
            case BlockKind::heading: return cut_sentences(block_.begin, block_.end);
            default: return cut_lines(block_.begin, block_.end);
        }
    }

private:
    std::string_view slice(std::size_t begin, std::size_t end) const {
        return markdown_.substr(begin, end - begin);
    }

    std::uint64_t wrapping_cost() const {
        return wrapping_ ? token_cost(wrapping_->opening) + token_cost(wrapping_->closing) : 0;
    }

    Piece piece(std::size_t begin, std::size_t end) const {
        Piece made{.begin = begin, .end = end, .wrapping = wrapping_};
        const bool is_code = block_.kind == BlockKind::fenced_code && wrapping_;
        made.is_cut = is_too_large_ && !is_code;
        const std::string_view text = slice(begin, end);
        made.cost = (made.is_cut ? cost_as_text(text) : token_cost(text)) + wrapping_cost();
        made.is_heading = block_.kind == BlockKind::heading;
        made.is_rule = block_.kind == BlockKind::paragraph && is_rule(text);
        made.is_running = block_.kind == BlockKind::paragraph && !made.is_rule;
        made.leads = made.is_heading || (made.is_running && (text.ends_with(':') || is_bold_line(text)));
        made.follows = block_.is_in_item && begin == block_.begin;
        return made;
    }

    std::shared_ptr<const Wrapping> closing_only() const {
        const std::size_t marks = block_.info_begin - block_.fence.length;
        const bool has_line_end = markdown_.substr(0, block_.end).ends_with('\n');
        return std::make_shared<const Wrapping>(
            Wrapping{.closing = (has_line_end ? "" : "\n") + closing_indent(slice(block_.begin, marks)) +
                                std::string(block_.fence.length, block_.fence.mark)});
    }

    // The fence to put around each part: the block's own, unless a line that must be cut inside could then
    // begin with something that closes it. Nothing if no fence of bearable size will do.
    std::shared_ptr<const Wrapping> code_wrapping() const {
        const std::size_t marks_begin = block_.info_begin - block_.fence.length;
        const std::string indent(slice(block_.begin, marks_begin));
        std::size_t length = block_.fence.length;
        if (has_huge_line())
            length = std::max(length,
                              longest_run(slice(block_.body_begin, block_.body_end), block_.fence.mark) + 1);
        const std::string marks(std::min<std::size_t>(length, limits_.maximum), block_.fence.mark);
        std::string info(slice(block_.info_begin, block_.body_begin));
        Wrapping made{.opening = indent + marks + info, .closing = "\n" + closing_indent(indent) + marks};
        if (token_cost(made.opening) + token_cost(made.closing) > limits_.maximum / 2) return nullptr;
        return std::make_shared<const Wrapping>(std::move(made));
    }

    bool has_huge_line() const {
        for (std::size_t at = block_.body_begin; at < block_.body_end;) {
            const std::size_t end = std::min(markdown_.find('\n', at), block_.body_end);
            if (token_cost(slice(at, end)) > limits_.maximum / 2) return true;
            at = end + 1;
        }
        return false;
    }

    void cut_code() {
        wrapping_ = code_wrapping();
        // Without a wrapping the first and last line are part of what is cut.
        if (wrapping_)
            cut_rows(block_.body_begin, block_.body_end);
        else
            cut_rows(block_.begin, block_.end);
    }

    void cut_table() {
        Wrapping header{.opening = std::string(slice(block_.begin, block_.body_begin))};
        if (token_cost(header.opening) > limits_.maximum / 2) return cut_lines(block_.begin, block_.end);
        wrapping_ = std::make_shared<const Wrapping>(std::move(header));
        cut_rows(block_.body_begin, block_.body_end);
    }

    // In parts of about equal size, of whole lines; in code rather at an empty line.
    void cut_rows(std::size_t begin, std::size_t end) {
        const std::uint64_t overhead = wrapping_cost(), room = limits_.maximum - overhead;
        const std::uint64_t total = token_cost(slice(begin, end));
        const std::uint64_t wanted =
            std::max<std::uint64_t>(limits_.target > overhead ? limits_.target - overhead : 1, room / 2);
        const std::uint64_t aim = total / (total / wanted + 1) + 1;
        std::size_t from = begin;
        std::uint64_t cost = 0;
        for (std::size_t at = begin; at < end;) {
            const std::size_t next = std::min(markdown_.find('\n', at), end - 1) + 1;
            const std::uint64_t line =
                wrapping_ ? token_cost(slice(at, next)) : cost_as_text(slice(at, next));
            const bool is_gap = line <= 2;  // an empty line
            if (cost > 0 &&
                (cost + line > std::min(aim + aim / 8, room) || (is_gap && cost > aim - aim / 4))) {
                deliver_part(from, at);
                from = at;
                cost = 0;
            }
            if (line > room) {
                cut_by_force(at, next, std::min(wanted, room));
                from = next;
                cost = 0;
            } else {
                cost += line;
            }
            at = next;
        }
        if (cost > 0) deliver_part(from, end);
    }

    // Without the empty lines around it.
    void deliver_part(std::size_t begin, std::size_t end) {
        while (end > begin && is_ascii_space(markdown_[end - 1])) --end;
        while (begin < end && (markdown_[begin] == '\n' || markdown_[begin] == '\r')) ++begin;
        if (begin < end) deliver_(piece(begin, end));
    }

    void cut_lines(std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end;) {
            const std::size_t line_end = std::min(markdown_.find('\n', at), end);
            cut_sentence_or_less(at, line_end, [&] { cut_sentences(at, line_end); });
            at = line_end + 1;
        }
    }

    void cut_sentences(std::size_t begin, std::size_t end) {
        const std::string_view text = slice(begin, end);
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t sentence = sentence_end(text, at);
            cut_sentence_or_less(begin + at, begin + sentence,
                                 [&] { cut_by_force(begin + at, begin + sentence, limits_.target); });
            at = sentence;
            while (at < text.size() && is_ascii_space(text[at])) ++at;
        }
    }

    template <typename Smaller>
    void cut_sentence_or_less(std::size_t begin, std::size_t end, const Smaller& cut_smaller) {
        Piece whole = piece(begin, end);
        if (whole.cost > limits_.maximum) return cut_smaller();
        if (begin < end) deliver_(std::move(whole));
    }

    void cut_by_force(std::size_t begin, std::size_t end, std::uint64_t limit) {
        constexpr std::uint64_t backslashes = 2 * cost_per_token;  // its first and last line may need one
        limit = std::min(limit, limits_.maximum - backslashes);
        for (std::size_t at = begin; at < end;) {
            const std::size_t to = at + cut_within(slice(at, end), limit);
            if (slice(at, to).find_first_not_of(" \t\r\n") != std::string_view::npos) deliver_(piece(at, to));
            at = to;
        }
    }

    std::string_view markdown_;
    const Block& block_;
    const PieceLimits& limits_;
    const PieceSink& deliver_;
    std::shared_ptr<const Wrapping> wrapping_{};
    bool is_too_large_ = false;  // to be delivered whole
};

}  // namespace

// Text that was cut may have become a fence: what stood behind it in its line is gone, or what stood before
// it. A backslash makes it text again.
void append_piece(std::string& text, std::string_view markdown, const Piece& piece) {
    const std::string_view part = markdown.substr(piece.begin, piece.end - piece.begin);
    if (!piece.is_cut) {
        text += part;
        return;
    }
    for_each_line(part, [&](std::string_view line, std::size_t marks) {
        if (marks == std::string_view::npos)
            text += line;
        else
            text.append(line.substr(0, marks)).append("\\").append(line.substr(marks));
    });
}

std::uint64_t cost_as_text(std::string_view part) {
    std::uint64_t cost = token_cost(part);
    for_each_line(part, [&](std::string_view, std::size_t marks) {
        if (marks != std::string_view::npos) cost += cost_per_token;
    });
    return cost;
}

void cut_block(std::string_view markdown, const Block& block, const PieceLimits& limits,
               const PieceSink& deliver) {
    BlockCutter(markdown, block, limits, deliver).cut();
}

}  // namespace quarry::text
