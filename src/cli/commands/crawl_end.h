// What a command says and leaves behind when a crawl it waited for has ended.
#pragma once

#include <string>

#include "app/data_source.h"
#include "cli/command.h"
#include "model/group.h"
#include "store/reader.h"

namespace quarry::cli {

struct CrawlReport {
    std::string output{};  // the folder that pages are written to; "": none are
    bool record = false;   // print the crawl's record also without --json
};

// Writes pages, says a summary, prints the record, and returns the exit code: 1 if a URL failed, there is no
// page, or pages wait for embedding; 130 if it was interrupted.
int report_end(const Session& session, const app::Workplace& place, const Group& group,
               const CrawlReport& wanted);

// Says how many pages of the crawl are not in the index, why, and what to do. 0, or 1 if there are any.
int report_index(const Session& session, const Group& group, store::Reader& reader);

}  // namespace quarry::cli
