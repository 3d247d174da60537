#include "cli/output/progress.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/ascii.h"

namespace quarry::cli {

using namespace std::chrono_literals;

namespace {

// The last place at or before this one where a character begins.
std::size_t begin_of_character(std::string_view text, std::size_t place) {
    while (place > 0 && place < text.size() && is_utf8_continuation(text[place])) --place;
    return place;
}

}  // namespace

void Progress::show(std::size_t done, std::string_view current) {
    if (!terminal_.progress || total_ == 0) return;
    const auto now = std::chrono::steady_clock::now();
    if (done < total_ && now - drawn_at_ < 100ms) return;
    drawn_at_ = now;
    const std::string counts = fmt::format(" {}/{} ", done, total_);
    const auto columns = static_cast<std::size_t>(terminal_.columns);
    const std::size_t room =
        columns > bar_columns + counts.size() + 1 ? columns - bar_columns - counts.size() - 1 : 0;
    write_words(fmt::format("\r\033[K{}{}{}", terminal_.paint(Colour::blue, progress_bar(done, total_)),
                            counts, printable(shorten(current, room))));
    visible_ = true;
}

void Progress::clear() {
    if (!visible_) return;
    write_words("\r\033[K");
    visible_ = false;
}

std::string progress_bar(std::size_t done, std::size_t total) {
    const std::size_t filled = total == 0 ? 0 : std::min(bar_columns, done * bar_columns / total);
    std::string bar;
    for (std::size_t i = 0; i < bar_columns; ++i) bar += i < filled ? "█" : "░";
    return bar;
}

std::string shorten(std::string_view text, std::size_t columns) {
    if (text.size() <= columns) return std::string(text);
    if (columns < 8) return std::string(text.substr(0, begin_of_character(text, columns)));
    const std::size_t head = (columns - 1) * 2 / 3;
    const std::size_t tail = columns - 1 - head;
    return fmt::format("{}…{}", text.substr(0, begin_of_character(text, head)),
                       text.substr(begin_of_character(text, text.size() - tail)));
}

}  // namespace quarry::cli
