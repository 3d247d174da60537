#include "cli/output/live_lines.h"

#include <fmt/format.h>

namespace quarry::cli {

void LiveLines::show(const std::vector<std::string>& lines) {
    if (!terminal_.progress || (lines.empty() && drawn_ == 0)) return;
    // Up to the first line drawn before, clear from there on, draw again: in one write, or it flickers.
    std::string text = drawn_ > 0 ? fmt::format("\033[{}A\r\033[J", drawn_) : "\r";
    for (const std::string& line : lines) text += printable_lines(line) + "\n";
    write_words(text);
    drawn_ = lines.size();
}

}  // namespace quarry::cli
