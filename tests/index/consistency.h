// What must be true of an index.db at any time, whatever has happened to it.
#pragma once

#include <string>
#include <vector>

namespace quarry::test {

enum class Tidiness {
    any,      // rows that wait for their removal may be there
    settled,  // they may not
};

// What is not true, in sentences.
std::vector<std::string> index_inconsistencies(const std::string& path, Tidiness tidiness);

}  // namespace quarry::test
