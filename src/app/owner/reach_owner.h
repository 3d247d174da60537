// Who works on a data folder: somebody who can be asked, or this process.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <variant>

#include "app/data_folder.h"
#include "app/owner/client.h"
#include "base/result.h"

namespace quarry::app {

// Either somebody owns the folder and can be asked, or it is ours now.
using OwnerOrLock = std::variant<OwnerClient, FolderLock>;
// The same where the owner may be a server.
using LinkOrLock = std::variant<std::unique_ptr<OwnerLink>, FolderLock>;

struct Workplace;

// Waits while an owner is beginning or leaving, and has an older background worker hand over. Fails with
// `conflict` and a sentence if the owner does not answer, speaks another protocol, or is asked to stop
// waiting.
Result<OwnerOrLock> reach_owner(const DataFolder& folder, const std::string& version,
                                std::stop_token stop = {});
// A server is always there: nobody works in its stead.
Result<LinkOrLock> reach_owner(const Workplace& place, std::stop_token stop = {});
// Whoever owns it now. `not_found` if nobody does.
Result<std::unique_ptr<OwnerLink>> connect_to_owner(const Workplace& place);

}  // namespace quarry::app
