// A PDF as small as it can be, for tests that have one read.
#pragma once

#include <string>

namespace quarry::test {

// Of one page with one line.
std::string small_pdf(const std::string& words);

}  // namespace quarry::test
