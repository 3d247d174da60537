// Events that are too many to be told one by one: that each of their groups has changed is told instead.
#pragma once

#include <cstddef>
#include <vector>

#include "store/store.h"

namespace quarry::store {

// At most so many, one for each group: how it ended if that is among them, else that it goes on. Groups that
// ended come first. Events of no group are left out: whoever waits for such looks again after a while.
std::vector<Event> gathered(const std::vector<Event>& events, std::size_t most);

}  // namespace quarry::store
