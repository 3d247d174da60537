// What commands that touch the store begin with: the data folder, and the crawls in it by the ids people
// type.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/data_source.h"
#include "base/result.h"
#include "cli/command.h"
#include "model/group.h"
#include "store/reader.h"

namespace quarry::cli {

Result<app::DataSource> place_of(const CommandContext& session);

// Says the error. Returns the exit code for a command that could not work.
int give_up(const CommandContext& session, const Error& error);

// The crawl of that UUID, or of the only one that begins so. `not_found` with "Crawl not found".
Result<Group> find_crawl(store::Reader& reader, std::string_view id);

std::string id_of(const Group& group, const store::Reader& reader);

// Nobody has the data folder, or no host works on the shared store: what was begun `since` goes on later,
// whatever leases of a process that was killed say. A worker that was just started may not answer yet.
bool nobody_works(const app::DataSource& place, store::Reader& reader, Timestamp since);
inline constexpr std::string_view how_to_work =
    "No worker runs. It goes on with: quarry worker --once, or quarry daemon start";

// The number of a job's UUID. `invalid_argument` if it is none.
Result<JobId> parse_job_id(const store::Reader& reader, std::string_view id);

// True for what can only be an id or its beginning, never a URL.
bool looks_like_id(std::string_view text);

}  // namespace quarry::cli
