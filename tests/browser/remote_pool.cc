#include "browser/browser_site.h"
#include "browser/remote_chromium.h"

namespace quarry::test {

browser::Pool& shared_pool() {
    static RemoteChromium chromium;
    static browser::Pool pool(
        {.remote = browser::RemoteConfig::parse(chromium.url(), "").value(), .pages_at_once = 2});
    return pool;
}

}  // namespace quarry::test
