#include "app/services/browser.h"

#include "app/services/browser_settings.h"

namespace quarry::app {

work::RenderTools BrowserService::tools(const Settings& settings,
                                        std::function<void(const std::string&)> warn) {
    const auto open_or_warn = [this, &settings, warn = std::move(warn)] {
        auto pool = open(settings);
        if (!pool && !has_warned_.exchange(true))
            warn("pages that are made by scripts are read as they were sent: " + pool.error().message);
        return pool;
    };
    return {.open_browser = open_or_warn,
            .pages_at_once = static_cast<int>(settings.number("browser.pages")),
            .user_agent = settings.text("fetch.user_agent"),
            .page_time = settings.duration("browser.timeout")};
}

Result<browser::Pool*> BrowserService::open(const Settings& settings) {
    return pool_.with([&](std::unique_ptr<browser::Pool>& pool) -> Result<browser::Pool*> {
        if (pool) return pool.get();
        const browser::PoolConfig config = TRY(browser_config(settings));
        pool = std::make_unique<browser::Pool>(config);
        return pool.get();
    });
}

}  // namespace quarry::app
