// The browser as the settings have it.
#pragma once

#include "app/settings/settings.h"
#include "base/result.h"
#include "browser/pool.h"

namespace quarry::app {

// Fails with `unsupported` if everything is to go through a proxy: what the browser asks does not. Fails with
// `not_found` if there is no browser, and as browser::RemoteConfig does if it is elsewhere.
Result<browser::PoolConfig> browser_config(const Settings& settings);

}  // namespace quarry::app
