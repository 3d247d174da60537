#include "text/diff.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace quarry::text {
namespace {

constexpr std::size_t context = 3;

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// The lines of both texts as numbers, which are quick to compare: equal lines have equal numbers.
struct Numbered {
    std::vector<int> before{}, after{};
};

Numbered numbered(const std::vector<std::string_view>& before, const std::vector<std::string_view>& after) {
    std::map<std::string_view, int> numbers;
    const auto number_all = [&](const std::vector<std::string_view>& lines) {
        std::vector<int> all;
        all.reserve(lines.size());
        for (const std::string_view line : lines)
            all.push_back(numbers.emplace(line, static_cast<int>(numbers.size())).first->second);
        return all;
    };
    Numbered both;
    both.before = number_all(before);
    both.after = number_all(after);
    return both;
}

// Which lines of each side are gone or new.
struct Marks {
    std::vector<bool> removed{}, added{};
};

// The part of both sides that has to be looked at: what lies between a common beginning and a common end.
struct Middle {
    std::size_t begin = 0, before_end = 0, after_end = 0;
};

Middle middle_of(const Numbered& lines) {
    Middle middle{.before_end = lines.before.size(), .after_end = lines.after.size()};
    const std::size_t shortest = std::min(middle.before_end, middle.after_end);
    while (middle.begin < shortest && lines.before[middle.begin] == lines.after[middle.begin]) ++middle.begin;
    while (middle.before_end > middle.begin && middle.after_end > middle.begin &&
           lines.before[middle.before_end - 1] == lines.after[middle.after_end - 1]) {
        --middle.before_end;
        --middle.after_end;
    }
    return middle;
}

// Myers' greedy search: `reach` has, for each diagonal (old line minus new line), how far into the old lines
// one comes with so many edits. Each round is remembered, so that the way can be walked back.
class Search {
public:
    Search(const Numbered& lines, const Middle& middle)
        : before_(lines.before.data() + middle.begin),
          after_(lines.after.data() + middle.begin),
          before_size_(static_cast<int>(middle.before_end - middle.begin)),
          after_size_(static_cast<int>(middle.after_end - middle.begin)) {}

    // False if it takes more edits than that.
    bool run(int most_edits) {
        for (int edits = 0; edits <= most_edits; ++edits) {
            std::vector<int> reach(static_cast<std::size_t>(edits) + 1);
            bool is_there = false;
            for (int diagonal = -edits; diagonal <= edits; diagonal += 2) {
                const int old_line = slide(start_of(edits, diagonal), diagonal);
                reach[index_of(edits, diagonal)] = old_line;
                is_there = is_there || (old_line >= before_size_ && old_line - diagonal >= after_size_);
            }
            rounds_.push_back(std::move(reach));
            if (is_there) return true;
        }
        return false;
    }

    // From the end back to the start.
    void mark(std::size_t offset, Marks& marks) const {
        int old_line = before_size_, new_line = after_size_;
        for (int edits = static_cast<int>(rounds_.size()) - 1; edits > 0; --edits) {
            const int diagonal = old_line - new_line;
            const bool is_added = comes_from_above(edits, diagonal);
            const int from = reach_at(edits - 1, is_added ? diagonal + 1 : diagonal - 1);
            old_line = from;
            new_line = from - (is_added ? diagonal + 1 : diagonal - 1);
            if (is_added) marks.added[offset + static_cast<std::size_t>(new_line)] = true;
            if (!is_added) marks.removed[offset + static_cast<std::size_t>(old_line)] = true;
        }
    }

private:
    static constexpr int nowhere = -1;

    // A round has every second diagonal.
    static std::size_t index_of(int edits, int diagonal) {
        return static_cast<std::size_t>((diagonal + edits) / 2);
    }
    int reach_at(int edits, int diagonal) const {
        if (diagonal < -edits || diagonal > edits) return nowhere;
        return rounds_[static_cast<std::size_t>(edits)][index_of(edits, diagonal)];
    }
    // Whether the last edit on the way to this diagonal adds a line, rather than removing one.
    bool comes_from_above(int edits, int diagonal) const {
        const int above = reach_at(edits - 1, diagonal + 1), left = reach_at(edits - 1, diagonal - 1);
        return diagonal == -edits || (diagonal != edits && left < above);
    }
    int start_of(int edits, int diagonal) const {
        if (edits == 0) return 0;
        return comes_from_above(edits, diagonal) ? reach_at(edits - 1, diagonal + 1)
                                                 : reach_at(edits - 1, diagonal - 1) + 1;
    }
    int slide(int old_line, int diagonal) const {
        while (old_line < before_size_ && old_line - diagonal < after_size_ && old_line >= 0 &&
               old_line - diagonal >= 0 && before_[old_line] == after_[old_line - diagonal])
            ++old_line;
        return old_line;
    }

    const int* before_;
    const int* after_;
    const int before_size_, after_size_;
    std::vector<std::vector<int>> rounds_;
};

Marks marks_of(const Numbered& lines, const DiffLimits& limits) {
    Marks marks{.removed = std::vector<bool>(lines.before.size()),
                .added = std::vector<bool>(lines.after.size())};
    const Middle middle = middle_of(lines);
    Search search(lines, middle);
    const bool is_small = std::max(lines.before.size(), lines.after.size()) <= limits.lines;
    if (is_small && search.run(static_cast<int>(limits.edits))) {
        search.mark(middle.begin, marks);
        return marks;
    }
    for (std::size_t i = middle.begin; i < middle.before_end; ++i) marks.removed[i] = true;
    for (std::size_t i = middle.begin; i < middle.after_end; ++i) marks.added[i] = true;
    return marks;
}

// Walks both sides at once and cuts what it meets into hunks.
class HunkWriter {
public:
    explicit HunkWriter(std::vector<DiffHunk>& hunks) : hunks_(hunks) {}

    void same(std::string_view line) {
        ++old_line_;
        ++new_line_;
        recent_.push_back(line);
        if (!is_open_) {
            if (recent_.size() > context) recent_.erase(recent_.begin());
            return;
        }
        // A hunk stays open as long as the next change could share its lines around.
        if (recent_.size() > 2 * context) {
            append_same(context);
            recent_.erase(recent_.begin(), recent_.end() - context);
            is_open_ = false;
        }
    }
    void changed(LineChange change, std::string_view line) {
        if (!is_open_) open();
        append_same(recent_.size());
        recent_.clear();
        hunks_.back().lines.push_back({change, line});
        ++(change == LineChange::removed ? old_line_ : new_line_);
        ++(change == LineChange::removed ? hunks_.back().old_count : hunks_.back().new_count);
    }
    void finish() {
        if (is_open_) append_same(std::min(context, recent_.size()));
        for (DiffHunk& hunk : hunks_) {
            if (hunk.old_count == 0) --hunk.old_start;
            if (hunk.new_count == 0) --hunk.new_start;
        }
    }

private:
    void open() {
        hunks_.push_back({.old_start = old_line_ - recent_.size(), .new_start = new_line_ - recent_.size()});
        is_open_ = true;
    }
    void append_same(std::size_t count) {
        DiffHunk& hunk = hunks_.back();
        for (std::size_t i = 0; i < count; ++i) hunk.lines.push_back({LineChange::same, recent_[i]});
        hunk.old_count += count;
        hunk.new_count += count;
    }

    std::vector<DiffHunk>& hunks_;
    std::vector<std::string_view> recent_;  // the same on both sides, and in no hunk yet
    std::size_t old_line_ = 1, new_line_ = 1;
    bool is_open_ = false;
};

std::string range(std::size_t start, std::size_t count) {
    return count == 1 ? std::to_string(start) : fmt::format("{},{}", start, count);
}

}  // namespace

std::vector<DiffHunk> diff_lines(std::string_view before, std::string_view after, const DiffLimits& limits) {
    const auto old_lines = lines_of(before), new_lines = lines_of(after);
    const Marks marks = marks_of(numbered(old_lines, new_lines), limits);
    std::vector<DiffHunk> hunks;
    HunkWriter writer(hunks);
    for (std::size_t i = 0, j = 0; i < old_lines.size() || j < new_lines.size();) {
        if (i < old_lines.size() && marks.removed[i]) {
            writer.changed(LineChange::removed, old_lines[i++]);
        } else if (j < new_lines.size() && marks.added[j]) {
            writer.changed(LineChange::added, new_lines[j++]);
        } else {
            writer.same(old_lines[i++]);
            ++j;
        }
    }
    writer.finish();
    return hunks;
}

std::string header_of(const DiffHunk& hunk) {
    return fmt::format("@@ -{} +{} @@", range(hunk.old_start, hunk.old_count),
                       range(hunk.new_start, hunk.new_count));
}

std::string unified(const std::vector<DiffHunk>& hunks) {
    std::string text;
    for (const DiffHunk& hunk : hunks) {
        text += header_of(hunk) + '\n';
        for (const DiffLine& line : hunk.lines) {
            text += line.change == LineChange::same ? ' ' : line.change == LineChange::removed ? '-' : '+';
            (text += line.text) += '\n';
        }
    }
    return text;
}

}  // namespace quarry::text
