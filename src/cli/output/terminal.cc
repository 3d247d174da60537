#include "cli/output/terminal.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/ascii.h"

namespace quarry::cli {

using namespace std::chrono_literals;

namespace {

bool is_set(const char* name) {
    const char* value = std::getenv(name);
    return value && *value;
}

int columns_of(int descriptor) {
    winsize size{};
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

std::string_view code_of(Colour colour) {
    switch (colour) {
        case Colour::red: return "31";
        case Colour::green: return "32";
        case Colour::yellow: return "33";
        case Colour::blue: return "34";
        case Colour::grey: return "90";
        case Colour::bold: return "1";
    }
    return "0";
}

std::string painted(Colour colour, std::string_view text) {
    return fmt::format("\033[{}m{}\033[0m", code_of(colour), text);
}

// The error that ended writing to standard output; 0 while there is none. Commands write from several
// threads.
std::atomic<int> output_error = 0;

// Returns the error that ended it; 0 if all is written. The stream may be non-blocking, because another
// process that shares it may have made it so.
int write_all(int stream, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(stream, text.data(), text.size());
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
        if (written >= 0 || errno == EINTR) continue;
        if (errno != EAGAIN) return errno;
        pollfd room{.fd = stream, .events = POLLOUT, .revents = 0};
        if (poll(&room, 1, -1) < 0 && errno != EINTR) return errno;
    }
    return 0;
}

}  // namespace

Terminal Terminal::inspect(bool no_colour_flag) {
    const char* term = std::getenv("TERM");
    const bool dumb = !term || std::string_view(term) == "dumb";
    const bool person = isatty(STDERR_FILENO) != 0 && !dumb;
    const bool may_colour = !dumb && !no_colour_flag && !is_set("NO_COLOR");
    return {.colour = person && may_colour,
            .progress = person,
            .data_colour = isatty(STDOUT_FILENO) != 0 && may_colour,
            .columns = columns_of(STDERR_FILENO)};
}

std::string Terminal::paint(Colour colour_name, std::string_view text) const {
    return colour ? painted(colour_name, text) : std::string(text);
}

std::string Terminal::paint_data(Colour colour_name, std::string_view text) const {
    return data_colour ? painted(colour_name, text) : std::string(text);
}

bool write_data(std::string_view data) {
    if (output_error != 0) return false;
    const bool is_terminal = isatty(STDOUT_FILENO) != 0;
    const int error =
        is_terminal ? write_all(STDOUT_FILENO, printable_lines(data)) : write_all(STDOUT_FILENO, data);
    if (error != 0) output_error = error;
    return error == 0;
}

Result<void> finish_data() {
    // Some file systems report only on close that the data did not fit, so a copy is closed. Standard output
    // itself stays open: the next file to be opened must not take its place.
    const int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (copy >= 0 && close(copy) != 0 && output_error == 0 && errno != EINTR) output_error = errno;
    const int error = output_error;
    if (error == 0 || error == EPIPE) return {};
    return fail(
        ErrorCode::exhausted,
        fmt::format("cannot write to standard output: {}. What it got is not all", std::strerror(error)));
}

void hold_standard_streams() {
    // Each stream is opened in the wrong direction, so that reading or writing there fails, as on a closed
    // one.
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}

void write_words(std::string_view text) {
    write_all(STDERR_FILENO, text);
}

void say_error(const Terminal& terminal, std::string_view sentence) {
    say(fmt::format("{} {}", terminal.paint(Colour::red, "error:"), sentence));
}

void say(std::string_view line) {
    write_words(printable_lines(line) + "\n");
}

void say_line(std::string_view event) {
    write_words(printable(event) + "\n");
}

void LiveLines::show(const std::vector<std::string>& lines) {
    if (!terminal_.progress || (lines.empty() && drawn_ == 0)) return;
    // Goes up to the first line drawn before, clears from there on, and draws again. It is one write, because
    // several would flicker.
    std::string text = drawn_ > 0 ? fmt::format("\033[{}A\r\033[J", drawn_) : "\r";
    for (const std::string& line : lines) text += printable_lines(line) + "\n";
    write_words(text);
    drawn_ = lines.size();
}

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

Result<bool> confirmed(const std::string& question) {
    if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0)
        return fail(ErrorCode::invalid_argument, fmt::format("{} Say --yes if you mean it", question));
    write_words(printable_lines(question) + " [y/N] ");
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace quarry::cli
