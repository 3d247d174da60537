// The browser, built from the settings. BrowserService starts it in a process that works when the first
// page needs it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "app/settings/settings.h"
#include "base/guarded.h"
#include "base/result.h"
#include "browser/pool.h"
#include "work/page/rendering.h"

namespace quarry::app {

// The browser as the settings have it.

// Fails with `unsupported` if everything is to go through a proxy: what the browser asks does not. Fails with
// `not_found` if there is no browser, and as browser::RemoteConfig does if it is elsewhere.
Result<browser::PoolConfig> browser_config(const Settings& settings);

// The browser of a process that works: there when the first page needs it.

class BrowserService {
public:
    // What the engine needs of it. Both outlive the tools. `warn` is told, once, if there is no browser when
    // a page needs one: why, and what to do.
    work::RenderTools tools(const Settings& settings, std::function<void(const std::string&)> warn);

private:
    // Fails as browser_config does, in a sentence that says what to do; asked again for each page,
    // so that a browser that was installed meanwhile is found.
    Result<browser::Pool*> open(const Settings& settings);

    std::atomic<bool> has_warned_ = false;
    Guarded<std::unique_ptr<browser::Pool>> pool_;
};

}  // namespace quarry::app
