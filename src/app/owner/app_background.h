// Workers that nobody waits for.
#pragma once

#include <chrono>
#include <optional>

#include "app/data_source.h"
#include "base/result.h"

namespace quarry::app {

// Starts this program again as a worker of the same data folder, in a session of its own and with its words
// in worker.log. Returns at once. If another process owns the folder by then, the new one leaves. Without
// `idle_exit` it stays for ever.
Result<void> start_background_worker(const Workplace& place,
                                     std::optional<std::chrono::milliseconds> idle_exit);

}  // namespace quarry::app
