// Who reads the output: a person at a terminal, or a program. Standard output is data; standard error is for
// people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quarry::cli {

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

// The text without control characters: what a server says must not move the cursor or ring the bell.
std::string printable(std::string_view text);

// Writes data to standard output. False when the reader is gone (a closed pipe): the command should end
// quietly.
bool write_data(std::string_view data);

// Writes one line to standard error: "error: …", with the way out in it.
void say_error(const Terminal& terminal, std::string_view sentence);
void say(std::string_view line);

}  // namespace quarry::cli
