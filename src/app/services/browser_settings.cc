#include "app/services/browser_settings.h"

#include "browser/chromium_command.h"

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

}  // namespace quarry::app
