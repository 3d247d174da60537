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

// Has the owner of the data folder, this process or another, do what owner_methods.h names.
using Perform =
    std::function<Result<boost::json::value>(std::string_view method, boost::json::object params)>;

struct IndexWork {
    std::string collection{};        // "" for all
    std::optional<GroupId> group{};  // only the pages of this crawl
    // What there is to index. Begins anew if the owner goes away meanwhile: it has to bear being repeated.
    std::function<Result<void>(const Perform&)> begin{};
    std::string what = "Indexing";         // said while it is waited for
    EmbeddedLines* embedded = nullptr;     // hears of each page, and is shown, if set
    std::function<Result<void>()> look{};  // called now and then while an owner works
};

// Works, or waits for whoever does, until everything can be found, with the builtin space that is due in use,
// or until what is left waits for a service that is not there. Ctrl-C ends it too: the rest is done by the
// next worker.
Result<store::OutboxCounts> work_until_indexed(const CommandContext& session, const app::DataSource& place,
                                               const IndexWork& work);

// The part of it for who looks on while the owner works: true when it is done, false if the owner has left.
Result<bool> look_on_until_indexed(app::OwnerLink& owner, store::Reader& reader, const IndexWork& work);

// "3 pages wait for embedding: cannot reach TEI …", with the reason if that is not only their turn; "" if
// none does.
std::string waiting_in_words(const store::OutboxCounts& counts);

// Says how many pages wait and why, or failed. The exit code that follows: 0, or 1 if any does.
int report_index(const CommandContext& session, const store::OutboxCounts& counts);

}  // namespace quarry::cli
