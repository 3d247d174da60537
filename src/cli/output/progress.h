// One line on a terminal that shows how far a command is, and disappears when it ends.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "cli/output/terminal.h"

namespace quarry::cli {

// Silent unless the terminal allows progress. Used by one thread at a time.
class Progress {
public:
    Progress(const Terminal& terminal, std::size_t total) : terminal_(terminal), total_(total) {}
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Redraws at most ten times a second, and always at the end.
    void show(std::size_t done, std::string_view current);
    // Removes the line, so that other output can be written.
    void clear();

private:
    const Terminal& terminal_;
    std::size_t total_;
    std::chrono::steady_clock::time_point drawn_at_{};
    bool visible_ = false;
};

inline constexpr std::size_t bar_columns = 20;
std::string progress_bar(std::size_t done, std::size_t total);  // "██████░░░░…"

// Shortens the middle of a long URL for display: "https://a.example/…/end".
std::string shorten(std::string_view text, std::size_t columns);

}  // namespace quarry::cli
