// A browser is a dozen processes, and whoever starts it may be killed at any moment, with no chance to tidy
// up. So quarry does not start it: a small process of its own does, the keeper, which outlives quarry by as
// long as it takes to end the browser. docs/decisions/0017 tells why it is done so.
//
// The keeper is this program, started again with a hidden command. It gives the browser a network in which
// there is nothing, a user without rights, and an end: when quarry closes its end of the socket pair or dies,
// when the browser's first process ends, or when the keeper itself is killed.
#pragma once

#include <string_view>

namespace quarry::browser {

inline constexpr std::string_view keeper_command = "keep-browser";

// What main calls for it, before anything is set up. Returns the exit code.
int run_keeper();

}  // namespace quarry::browser
