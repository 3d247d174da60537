// The URLs of a command: its arguments first, then the lines of a file.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace quarry::cli {

// Blank lines and lines that begin with '#' are skipped, spaces at the ends trimmed. "-" reads standard
// input. Fails with "File not found: …", or with `invalid_argument`: "No URLs provided" when nothing is left,
// "Invalid URL …" when none of them is one. One that is none among others fails when its turn comes.
Result<std::vector<std::string>> gather_urls(const std::vector<std::string>& arguments,
                                             const std::string& file);

}  // namespace quarry::cli
