// A program that works on a store until it is killed, for crash_test.cc. Usage: crash_child DATABASE SEED.
// Every promise the store makes goes to standard output at once, as nine bytes: what, and the id.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <unistd.h>

#include "store/sqlite/sqlite_store.h"
#include "store/workload.h"

namespace {

// A pipe takes so few bytes whole or not at all, also from several threads.
void tell(const quarry::test::Promise& promise) {
    std::array<char, 9> record;
    record[0] = static_cast<char>(promise.what);
    std::memcpy(record.data() + 1, &promise.id, sizeof(promise.id));
    if (write(STDOUT_FILENO, record.data(), record.size()) != std::ssize(record)) _exit(3);
}

void work(quarry::store::Store& store, std::uint64_t seed) {
    quarry::test::Workload workload(store, seed, tell);
    while (true) {
        if (const auto done = workload.step(); !done) {
            std::fprintf(stderr, "crash_child: %s\n", done.error().message.c_str());
            _exit(2);
        }
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) return 2;
    auto store = quarry::store::open_sqlite_store({.path = arguments[1], .limits = {.low_disk_bytes = 0}});
    if (!store) {
        std::fprintf(stderr, "crash_child: %s\n", store.error().message.c_str());
        return 2;
    }
    const std::uint64_t seed = std::strtoull(arguments[2], nullptr, 10);
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < 3; ++thread) {
        threads.emplace_back([&, thread] { work(**store, seed * 10 + thread); });
    }
}
