// A crawl in words, for people: counts, states in their colours, the summary at the end.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.h"
#include "model/group.h"
#include "store/reader.h"

namespace quarry::cli {

// "1,169"
std::string with_commas(std::int64_t number);

// Yellow queued, blue running, green completed, red failed, grey cancelled and paused.
Colour colour_of(JobState state);

// "4.1 s", "2 min 5 s", "1 h 2 min"
std::string in_words(std::chrono::milliseconds duration);

// How long it ran, or runs by now.
std::chrono::milliseconds running_time(const Group& group, Timestamp now);

// "1,169 pages (12 unchanged), 3 failed, 2 skipped by robots.txt, 4.1 s"
std::string summary_of(const Group& group, store::Reader& reader);

// "Progress: 3/12 pages (running)"
std::string progress_line(const Group& group);

}  // namespace quarry::cli
