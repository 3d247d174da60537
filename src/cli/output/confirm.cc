#include "cli/output/confirm.h"

#include <iostream>

#include <fmt/format.h>
#include <unistd.h>

namespace quarry::cli {

Result<bool> confirmed(const std::string& question) {
    if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0)
        return fail(ErrorCode::invalid_argument, fmt::format("{} Say --yes if you mean it", question));
    write_words(printable_lines(question) + " [y/N] ");
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace quarry::cli
