// A few lines on a terminal that redraw themselves, and disappear at the end.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/output/terminal.h"

namespace quarry::cli {

// Silent unless the terminal allows progress. Used by one thread at a time.
class LiveLines {
public:
    explicit LiveLines(const Terminal& terminal) : terminal_(terminal) {}
    ~LiveLines() { clear(); }
    LiveLines(const LiveLines&) = delete;
    LiveLines& operator=(const LiveLines&) = delete;

    // Each line has to fit the terminal's width.
    void show(const std::vector<std::string>& lines);
    void clear() { show({}); }

private:
    const Terminal& terminal_;
    std::size_t drawn_ = 0;
};

}  // namespace quarry::cli
