#include "cli/terminal.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace quarry::cli {
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

std::string printable(std::string_view text) {
    std::string safe(text);
    for (char& c : safe)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    return safe;
}

bool write_data(std::string_view data) {
    while (!data.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, data.data(), data.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        data.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

void say_error(const Terminal& terminal, std::string_view sentence) {
    say(fmt::format("{} {}", terminal.paint(Colour::red, "error:"), sentence));
}

void say(std::string_view line) {
    fmt::print(stderr, "{}\n", line);
}

}  // namespace quarry::cli
