// Who reads the output: a person at a terminal, or a program. Standard output is data; standard error is
// for people.
// For people: lines that redraw themselves and disappear at the end, and a question before something is
// gone for good.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.h"  // what a server says must not move the cursor or ring the bell
#include "base/result.h"

namespace quarry::cli {

// Who reads the output: a person at a terminal, or a program. Standard output is data; standard error is for
// people.

enum class Colour : std::uint8_t { red, green, yellow, blue, grey, bold };

// Decided once per process from the streams, NO_COLOR, TERM and --no-color.
struct Terminal {
    bool colour = false;       // standard error may be coloured
    bool progress = false;     // standard error may show a line that redraws itself
    bool data_colour = false;  // standard output may be coloured
    int columns = 80;

    static Terminal inspect(bool no_colour_flag);

    std::string paint(Colour colour_name, std::string_view text) const;       // for standard error
    std::string paint_data(Colour colour_name, std::string_view text) const;  // for standard output
};

// Writes data to standard output; a terminal gets it without what it would obey. False when nothing more can
// be written there, as the reader is gone or the disk is full: the command should end. finish_data tells
// which.
bool write_data(std::string_view data);

// What became of all that was written: fails if some of it is lost. A reader that has left (a closed pipe)
// had what it wanted, and is no failure. Called once, before the process ends.
Result<void> finish_data();

// Makes sure that 0, 1 and 2 are no files of ours: who starts the program may have closed them, and data
// would then be written into whatever is opened first.
void hold_standard_streams();

// Writes to standard error as it is. What it does not take is lost: there is nobody left to be told.
void write_words(std::string_view text);

// Writes lines to standard error, without what a terminal would obey but for our colours. An error is
// "error: …", with the way out in it.
void say_error(const Terminal& terminal, std::string_view sentence);
void say(std::string_view line);
// The same of an event of a log, which is one line, whatever servers and clients have said in it.
void say_line(std::string_view event);

// A few lines on a terminal that redraw themselves, and disappear at the end.

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

// One line on a terminal that shows how far a command is, and disappears when it ends.

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

// Asking before something is gone for good.

// True for "y" or "yes" at the terminal. Without a terminal nobody can answer: `invalid_argument`, which says
// that --yes is needed.
Result<bool> confirmed(const std::string& question);

}  // namespace quarry::cli
