#include "browser/browser_site.h"

namespace quarry::test {

browser::PoolConfig pool_config() {
    return {.chromium = {.keeper_program = QUARRY_BROWSER_KEEPER}, .pages_at_once = 2};
}

browser::Pool& shared_pool() {
    static browser::Pool pool(pool_config());
    return pool;
}

}  // namespace quarry::test
