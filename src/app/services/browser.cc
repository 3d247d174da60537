#include "app/services/browser.h"

#include "browser/chromium.h"

namespace quarry::app {

Result<browser::PoolConfig> browser_config(const Settings& settings) {
    if (!settings.text("fetch.proxy").empty())
        return fail(ErrorCode::unsupported,
                    "pages cannot be rendered through fetch.proxy: the browser goes out by itself");
    browser::PoolConfig config{.pages_at_once = static_cast<int>(settings.number("browser.pages")),
                               .idle = settings.duration("browser.idle")};
    config.chromium.path = settings.text("browser.path");
    config.chromium.user = settings.text("browser.user");
    config.chromium.sandbox = settings.yes("browser.sandbox");
    config.chromium.memory_bytes = settings.bytes("browser.memory");
    if (const std::string remote = settings.text("browser.remote_url"); !remote.empty()) {
        config.remote = TRY(browser::RemoteConfig::parse(remote, settings.text("browser.gate")));
    } else {
        TRY(browser::find_chromium(config.chromium));
    }
    return config;
}

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
