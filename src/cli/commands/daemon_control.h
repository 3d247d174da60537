// Starting, stopping and looking at the worker that stays: `daemon` and `embed-daemon`.
#pragma once

#include "app/data_source.h"
#include "cli/command.h"

namespace quarry::cli {

// Each says what it did and returns the exit code.
int start_daemon(const Session& session, const app::Workplace& place);  // or has the one that runs stay
int stop_daemon(const Session& session, const app::Workplace& place);   // returns when it has left
int show_daemon(const Session& session, const app::Workplace& place);   // 1 if none runs

}  // namespace quarry::cli
