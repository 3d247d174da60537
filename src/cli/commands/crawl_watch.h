// `status --watch`: looking on while others work. Changes nothing, whatever is pressed.
#pragma once

#include "app/data_source.h"
#include "cli/command.h"
#include "model/model_ids.h"

namespace quarry::cli {

// Returns when the crawl is over or paused, with the exit code of report_end; 130 after Ctrl-C.
int watch_crawl(const Session& session, const app::Workplace& place, GroupId group);

}  // namespace quarry::cli
