// Who works on a data folder: somebody who can be asked, or this process.
#pragma once

#include <stop_token>
#include <string>
#include <variant>

#include "app/data_folder.h"
#include "app/owner_client.h"
#include "base/result.h"

namespace quarry::app {

// Either somebody owns the folder and can be asked, or it is ours now.
using OwnerOrLock = std::variant<OwnerClient, FolderLock>;

// Waits while an owner is beginning or leaving, and has an older background worker hand over. Fails with
// `conflict` and a sentence if the owner does not answer, speaks another protocol, or is asked to stop
// waiting.
Result<OwnerOrLock> reach_owner(const DataFolder& folder, const std::string& version,
                                std::stop_token stop = {});

}  // namespace quarry::app
