#include "app/browser_service.h"

#include "app/browser_settings.h"

namespace quarry::app {

work::RenderTools BrowserService::tools(const Settings& settings) {
    return {.open_browser = [this, &settings] { return open(settings); },
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
