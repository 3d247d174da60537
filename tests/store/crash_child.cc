// A program that works on a store until it is killed, for crash_test.cc and cluster_test.cc. Usage:
// crash_child DATABASE SEED, where DATABASE is a file or the URL of a PostgreSQL database; if QUARRY_POOLED
// is set, the one of a pooler before it. Every promise the store makes goes to standard output at once, as
// nine bytes: what, and the id.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "store/postgres/store.h"
#include "store/sqlite/store.h"
#include "store/workload.h"

namespace {

// A pipe takes so few bytes whole or not at all, also from several threads.
void tell(const quarry::test::Promise& promise) {
    std::array<char, 9> record;
    record[0] = static_cast<char>(promise.what);
    std::memcpy(record.data() + 1, &promise.id, sizeof(promise.id));
    if (write(STDOUT_FILENO, record.data(), record.size()) != std::ssize(record)) _exit(3);
}

// A database that cannot be reached now may be back in a moment.
bool may_pass(const quarry::Error& error, bool is_shared) {
    return is_shared && error.code == quarry::ErrorCode::unavailable;
}

void work(quarry::store::Store& store, std::uint64_t seed, bool is_shared) {
    quarry::test::Workload workload(store, seed, tell);
    while (true) {
        const auto done = workload.step();
        if (!done && may_pass(done.error(), is_shared)) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        } else if (!done) {
            std::fprintf(stderr, "crash_child: %s\n", done.error().message.c_str());
            _exit(2);
        }
    }
}

quarry::Result<std::unique_ptr<quarry::store::Store>> open(const std::string& database) {
    if (!database.starts_with("postgres://"))
        return quarry::store::open_sqlite_store({.path = database, .limits = {.low_disk_bytes = 0}});
    // Short, so that what the dead have held is soon worked on again.
    return quarry::store::open_postgres_store(
        {.database = {.url = database,
                      .idle_in_transaction = std::chrono::seconds(1),
                      .pooled = std::getenv("QUARRY_POOLED") != nullptr},
         .limits = {.lease_duration = std::chrono::seconds(1)}});
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) return 2;
    const std::string database = arguments[1];
    const bool is_shared = database.starts_with("postgres://");
    auto store = open(database);
    while (!store && may_pass(store.error(), is_shared)) store = open(database);
    if (!store) {
        std::fprintf(stderr, "crash_child: %s\n", store.error().message.c_str());
        return 2;
    }
    const std::uint64_t seed = std::strtoull(arguments[2], nullptr, 10);
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < 3; ++thread) {
        threads.emplace_back([&, thread] { work(**store, seed * 10 + thread, is_shared); });
    }
}
