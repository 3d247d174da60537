// Becoming the owner of a data folder that a background worker may own.
#pragma once

#include "app/data_folder.h"
#include "app/data_source.h"
#include "base/result.h"

namespace quarry::cli {

// A background worker gives way to a process that somebody wants to see. `conflict` if another such process
// has the folder.
Result<app::FolderLock> take_over(const app::Workplace& place);

// Of a shared store, one of several workers of this host: where the folder has an owner, `place` moves to a
// folder of its own below it.
Result<app::FolderLock> take_place(app::Workplace& place);

}  // namespace quarry::cli
