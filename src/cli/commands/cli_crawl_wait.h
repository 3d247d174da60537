// Staying with a crawl until it is over. If nobody owns the data folder the crawl runs in this very process,
// else the owner runs it and this process looks on; should the owner die, this process takes over.
#pragma once

#include <optional>
#include <string>

#include <boost/json.hpp>

#include "app/data_source.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/commands/crawl_wait.h"
#include "model/group.h"

namespace quarry::cli {

// What to ask of the owner first, and of which crawl, if that is known already.
struct CrawlBeginning {
    std::string method{};  // "crawl", "resume"; "" to only look on
    boost::json::object params{};
    std::optional<GroupId> group{};
};

// Returns the crawl when it is over or paused. Ctrl-C pauses it. Fails if it could not be begun, or if the
// store can take no more.
Result<Group> wait_for_crawl(const Session& session, const app::Workplace& place, CrawlBeginning beginning,
                             Narration narration);

}  // namespace quarry::cli
