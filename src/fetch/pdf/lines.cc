#include "fetch/pdf/lines.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace quarry::fetch {
namespace {

// A running header has one or two lines.
constexpr std::size_t margin_lines = 2;
constexpr std::size_t fewest_pages = 3;

bool on_same_line(const PdfLine& line, const PdfWord& word) {
    const double overlap = std::min(line.bottom, word.bottom) - std::max(line.top, word.top);
    const double height = std::min(line.bottom - line.top, word.bottom - word.top);
    return overlap > 0.5 * height && word.left > line.right - 0.5 * word.font_size;
}

// Collects the words of one line.
class LineBuilder {
public:
    bool takes(const PdfWord& word) const { return line_.text.empty() || on_same_line(line_, word); }

    void add(const PdfWord& word) {
        if (line_.text.empty()) {
            line_ = {.left = word.left, .top = word.top, .right = word.right, .bottom = word.bottom};
            line_.bold = line_.monospace = true;
        } else if (space_pending_ || word.left - line_.right > 0.15 * word.font_size) {
            line_.text += ' ';
        }
        line_.text += word.text;
        line_.right = std::max(line_.right, word.right);
        line_.bold = line_.bold && word.bold;
        line_.monospace = line_.monospace && word.monospace;
        // A superscript or a large initial must not make the line taller: the main size decides.
        sizes_[word.font_size] += word.text.size();
        if (sizes_[word.font_size] >= sizes_[line_.font_size]) {
            line_.font_size = word.font_size;
            line_.top = word.top;
            line_.bottom = word.bottom;
        }
        space_pending_ = word.space_after;
    }

    PdfLine finish() {
        sizes_.clear();
        space_pending_ = false;
        return std::exchange(line_, {});
    }
    bool is_empty() const { return line_.text.empty(); }

private:
    PdfLine line_;
    std::map<double, std::size_t> sizes_;  // bytes of text by font size
    bool space_pending_ = false;
};

// The lines nearest to the page's top and bottom, by index. Reading order is no help: a footer may come
// before the second column.
std::set<std::size_t> margin_indices(const PdfPage& page) {
    std::vector<std::size_t> by_height(page.size());
    std::iota(by_height.begin(), by_height.end(), std::size_t{0});
    std::ranges::sort(by_height, {}, [&](std::size_t i) { return std::pair(page[i].top, i); });
    std::set<std::size_t> indices;
    for (std::size_t i = 0; i < std::min(margin_lines, by_height.size()); ++i) {
        indices.insert(by_height[i]);
        indices.insert(by_height[by_height.size() - 1 - i]);
    }
    return indices;
}

// What stays the same from page to page, and roughly its height on the page.
struct RunningKey {
    std::string text;
    long height;
    auto operator<=>(const RunningKey&) const = default;
};

std::optional<long> as_number(std::string_view word) {
    long number = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool is_number = problem == std::errc() && end == word.data() + word.size() && word.size() <= 5;
    return is_number ? std::optional(number) : std::nullopt;
}

// The text without its digits; and if the line begins or ends with a number, as a page number does, how far
// that is from the page's place in the document: with it goes the chapter's title beside it.
std::vector<RunningKey> keys_of(const PdfLine& line, std::size_t page_number) {
    const long height = std::lround(line.top / 6);
    RunningKey same{.text = {}, .height = height};
    for (const char c : line.text) {
        const bool is_digit = c >= '0' && c <= '9';
        if (is_digit && same.text.ends_with('#')) continue;
        same.text += is_digit ? '#' : c;
    }
    std::vector<RunningKey> keys = {std::move(same)};
    const std::string_view text = line.text;
    const auto first = as_number(text.substr(0, text.find(' ')));
    const auto last = as_number(text.substr(text.rfind(' ') + 1));
    for (const auto& number : {first, first == last ? std::nullopt : last}) {
        if (number)
            keys.push_back({fmt::format("page {}", *number - static_cast<long>(page_number)), height});
    }
    return keys;
}

// What runs through the document in its margins.
class RunningLines {
public:
    explicit RunningLines(const std::vector<PdfPage>& pages)
        : enough_(std::max(fewest_pages, pages.size() / 3)) {
        for (std::size_t number = 0; number < pages.size(); ++number) {
            for (const std::size_t i : margin_indices(pages[number])) {
                for (RunningKey& key : keys_of(pages[number][i], number)) ++seen_[std::move(key)];
            }
        }
    }

    bool contains(const PdfLine& line, std::size_t page_number) const {
        return std::ranges::any_of(keys_of(line, page_number), [this](const RunningKey& key) {
            const auto found = seen_.find(key);
            return found != seen_.end() && found->second >= enough_;
        });
    }

private:
    std::size_t enough_;
    std::map<RunningKey, std::size_t> seen_;
};

}  // namespace

PdfPage join_words(std::span<const PdfWord> words) {
    PdfPage page;
    LineBuilder builder;
    for (const PdfWord& word : words) {
        if (word.text.empty()) continue;
        if (!builder.takes(word)) page.push_back(builder.finish());
        builder.add(word);
    }
    if (!builder.is_empty()) page.push_back(builder.finish());
    return page;
}

void drop_running_lines(std::vector<PdfPage>& pages) {
    if (pages.size() < fewest_pages) return;
    const RunningLines running(pages);
    for (std::size_t number = 0; number < pages.size(); ++number) {
        PdfPage& page = pages[number];
        const auto margins = margin_indices(page);
        PdfPage kept;
        for (std::size_t i = 0; i < page.size(); ++i) {
            if (!margins.contains(i) || !running.contains(page[i], number))
                kept.push_back(std::move(page[i]));
        }
        page = std::move(kept);
    }
}

}  // namespace quarry::fetch
