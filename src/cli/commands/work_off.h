// Working until nothing is left: `worker --once` and `queue process`.
#pragma once

#include "app/data_source.h"
#include "cli/command.h"

namespace quarry::cli {

// In this process, or waiting for the owner to do it. Ctrl-C finishes what is under way.
int work_off(const Session& session, const app::Workplace& place);

}  // namespace quarry::cli
