// Waiting until pages can be found: what import, reindex, forget and crawl --wait have in common.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "app/data_source.h"
#include "app/owner/client.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/commands/crawl_progress.h"
#include "model/ids.h"
#include "store/reader.h"

namespace quarry::cli {

// Has the owner of the data folder, this process or another, do what app/owner/methods.h names.
using Perform =
    std::function<Result<boost::json::value>(std::string_view method, boost::json::object params)>;

struct IndexWork {
    std::string collection{};        // "" for all
    std::optional<GroupId> group{};  // only the pages of this crawl
    // Begins the work. It is called again if the owner leaves meanwhile, so a second call must do no harm.
    std::function<Result<void>(const Perform&)> begin{};
    std::string what = "Indexing";         // shown during the wait
    EmbeddedLines* embedded = nullptr;     // if set, hears of each page and is shown
    std::function<Result<void>()> look{};  // called now and then while an owner works
};

// Works, or waits for the process that works, until every page can be found and the builtin space that is due
// is in use, or until all that is left waits for a service that is not there. Ctrl-C ends it too: the next
// worker does the rest.
Result<store::OutboxCounts> work_until_indexed(const CommandContext& session, const app::DataSource& place,
                                               const IndexWork& work);

// The same for a command that waits while the owner works: true when it is done, false if the owner has left.
Result<bool> look_on_until_indexed(app::OwnerLink& owner, store::Reader& reader, const IndexWork& work);

// "3 pages wait for embedding: cannot reach TEI …", with the reason unless they only wait their turn; "" if
// no page waits.
std::string waiting_in_words(const store::OutboxCounts& counts);

// Says how many pages wait and why, or failed. Returns the exit code: 0, or 1 if any page waits or failed.
int report_index(const CommandContext& session, const store::OutboxCounts& counts);

}  // namespace quarry::cli
