// What must be true of a database of quarry at any time, whatever has happened to it: after power cuts, kills
// and full disks. One list for all tests.
#pragma once

#include <string>
#include <vector>

#include "db/sqlite.h"

namespace quarry::test {

// What is wrong, in sentences; empty if nothing is. Every counter of every group is compared with its rows.
std::vector<std::string> inconsistencies(db::Connection& connection);

}  // namespace quarry::test
