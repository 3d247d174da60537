// What a command says and leaves behind when a crawl it waited for has ended.
#pragma once

#include <string>

#include "app/workplace.h"
#include "cli/command.h"
#include "model/group.h"

namespace quarry::cli {

// Writes the pages below `output` unless that is "", prints the record (--json) or a summary, and returns the
// exit code: 1 if a URL failed or there is no page, 130 if it was interrupted.
int report_end(const Session& session, const app::Workplace& place, const Group& group,
               const std::string& output);

}  // namespace quarry::cli
