// A database that is not there is reported as skipped, never passed: the tests that need it are left out,
// which the test framework can only be told on its command line.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <unistd.h>

#include "servers/pgbouncer.h"
#include "servers/postgres.h"
#include "servers/redis.h"

namespace quarry::store::promises {

namespace {

constexpr const char* told = "QUARRY_PROMISES_SKIPPED";

__attribute__((constructor)) void leave_out_missing_servers(int count, char** arguments, char**) {
    const bool lacks_pooler = std::getenv("QUARRY_POOLED") && !test::PgBouncer::is_installed();
    const bool has_all = test::Postgres::is_installed() && test::Redis::is_installed() && !lacks_pooler;
    if (has_all || std::getenv(told)) return;
    std::string left_out = "--test-case-exclude=";
    if (!test::Postgres::is_installed() || lacks_pooler) {
        std::printf("skipped: promises on PostgreSQL%s: it is not installed\n",
                    lacks_pooler ? " through PgBouncer" : "");
        left_out += "*OnPostgres*,";
    }
    if (!test::Redis::is_installed() ||
        (std::getenv("QUARRY_PAGES_IN_POSTGRES") && !test::Postgres::is_installed())) {
        std::puts("skipped: promises on Redis: it, or the store of its pages, is not installed");
        left_out += "*OnRedis*,";
    }
    std::fflush(stdout);
    setenv(told, "1", 1);
    std::vector<char*> all(arguments, arguments + count);
    all.push_back(left_out.data());
    all.push_back(nullptr);
    execv("/proc/self/exe", all.data());
}

}  // namespace

}  // namespace quarry::store::promises
