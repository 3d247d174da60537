// How fast the queue is: adding, draining, and how soon an added job is picked up.
//
//   queue_bench --add [--producers 16] [--bulk 1] | --drain [--workers 4] [--queued 10000] | --pickup |
//   --crawl | --outbox [--batch 64]
//               [--jobs 100000] [--payload 1024] [--normal] [--folder DIR] [--store URL] [--pinned]
//               [--slices]
//
// --store: an empty PostgreSQL database instead of a file in a folder, or a Redis beside that file.
// --pinned: while a transaction in PostgreSQL keeps everything that is deleted from being vacuumed.
// --slices: says of a drain how fast it is in each five seconds.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "db/postgres/connection.h"
#include "store/postgres/store.h"
#include "store/redis/store.h"
#include "store/rows/pages.h"
#include "store/sqlite/store.h"

using namespace quarry;
using namespace quarry::store;
using SteadyTime = std::chrono::steady_clock::time_point;

namespace {

struct Options {
    std::string mode{};
    std::string folder = std::filesystem::temp_directory_path();
    int jobs = 100'000;
    int queued = 0;  // that stay in the queue behind those that are measured
    int payload = 1'024;
    int producers = 16;
    int workers = 4;
    int bulk = 1;
    int batch = 250;
    Durability durability = Durability::full;
    std::string store{};  // "" for the embedded one
    bool pinned = false;
    bool slices = false;
};

double seconds_since(SteadyTime start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Of all threads. Unlike the wall clock it does not care what else the machine does.
double cpu_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

class Stopwatch {
public:
    void report(const std::string& what, int count) const {
        const double seconds = seconds_since(start_);
        fmt::print("{:<44} {:>9.0f}/s  ({} in {:.2f} s, {:.2f} us of CPU each)\n", what, count / seconds,
                   count, seconds, (cpu_seconds() - cpu_) / count * 1e6);
    }

private:
    SteadyTime start_ = std::chrono::steady_clock::now();
    double cpu_ = cpu_seconds();
};

// A store in a folder of its own, removed at the end.
class Bench {
public:
    explicit Bench(const Options& options) : options_(options) {
        folder_ = options.folder + "/queue-bench-" + std::to_string(std::rand());
        std::filesystem::create_directories(folder_);
        open();
    }
    ~Bench() {
        store_.reset();
        std::filesystem::remove_all(folder_);
    }
    void open() {
        store_.reset();
        const StoreLimits limits{.max_open_jobs_per_owner = 5'000'000, .running_jobs_per_owner = 1'000'000};
        const bool is_postgres = options_.store.starts_with("postgres");
        auto store =
            is_postgres
                ? open_postgres_store({.database = {.url = options_.store}, .limits = limits})
                : open_sqlite_store(
                      {.path = folder_ + "/quarry.db", .limits = limits, .durability = options_.durability});
        if (store && options_.store.starts_with("redis")) {
            store = open_redis_store({.url = options_.store,
                                      .prefix = folder_ + ":",
                                      .limits = limits,
                                      .content = *std::move(store),
                                      .allow_volatile = true});
        }
        if (!store) fmt::print(stderr, "{}\n", store.error().message), std::exit(2);
        store_ = *std::move(store);
    }
    Store& store() { return *store_; }

    std::vector<NewJob> jobs(int count) const {
        return std::vector<NewJob>(static_cast<std::size_t>(count),
                                   NewJob{.kind = "work", .payload = std::string(options_.payload, 'x')});
    }
    void fill(int count) {
        for (int left = count; left > 0; left -= 1'000) {
            if (!store_->add(jobs(std::min(left, 1'000)))) std::exit(2);
        }
    }

private:
    Options options_;
    std::string folder_;
    std::unique_ptr<Store> store_;
};

// A snapshot that stays: what is deleted from now on cannot be removed for good.
class PinnedHorizon {
public:
    explicit PinnedHorizon(const Options& options) {
        if (!options.pinned) return;
        connection_ = db::PgConnection::open({.url = options.store}).value();
        if (!connection_->execute("begin isolation level repeatable read; select count(*) from quarry.meta"))
            std::exit(2);
    }

private:
    std::optional<db::PgConnection> connection_;
};

void measure_add(const Options& options) {
    Bench bench(options);
    const int per_producer = options.jobs / options.producers / options.bulk;
    const Stopwatch watch;
    std::vector<std::jthread> producers;
    for (int number = 0; number < options.producers; ++number) {
        producers.emplace_back([&] {
            for (int count = 0; count < per_producer; ++count) {
                if (!bench.store().add(bench.jobs(options.bulk))) std::exit(2);
            }
        });
    }
    producers.clear();
    watch.report(fmt::format("add, {} producers, {} at a time", options.producers, options.bulk),
                 per_producer * options.producers * options.bulk);
}

// Leases and finishes until `left` is used up. Does not wait for an outcome to be durable before the next.
void work(Store& store, std::atomic<int>& left, int batch) {
    const WorkerId worker = store.register_worker("bench").value();
    std::counting_semaphore<> room(8);
    while (left > 0) {
        const auto jobs = store.lease({.worker = worker, .kinds = {{"work", batch}}}).value().jobs;
        if (jobs.empty()) break;
        std::vector<Finished> finished;
        for (const JobLease& job : jobs) {
            store.begin(job.lease);
            finished.push_back({job.lease, {.end = Completed{"ok"}}});
        }
        left -= static_cast<int>(jobs.size());
        room.acquire();
        store.finish(std::move(finished), [&](Result<std::vector<Verdict>> verdicts) {
            if (!verdicts) std::exit(2);
            room.release();
        });
    }
    for (int count = 0; count < 8; ++count) room.acquire();
}

// Until it is told to stop.
void report_slices(const std::atomic<int>& left, std::stop_token stop) {
    constexpr int slice = 5;
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    for (int begin = left, count = 1;
         !never.wait_for(lock, stop, std::chrono::seconds(slice), [] { return false; }) &&
         !stop.stop_requested();
         begin = left, ++count) {
        fmt::print("  until {:>3} s {:>9}/s\n", count * slice, (begin - left) / slice);
        std::fflush(stdout);
    }
}

void measure_drain(const Options& options) {
    Bench bench(options);
    bench.fill(options.jobs + options.queued);
    ::sync();  // or the disk would still be writing what was only the preparation
    const auto opened = std::chrono::steady_clock::now();
    bench.open();
    fmt::print("open with {} jobs: {:.3f} s\n", options.jobs + options.queued, seconds_since(opened));
    const PinnedHorizon pinned(options);
    std::atomic<int> left = options.jobs;
    std::jthread slices;
    if (options.slices) slices = std::jthread([&](std::stop_token stop) { report_slices(left, stop); });
    const Stopwatch watch;
    std::vector<std::jthread> workers;
    for (int number = 0; number < options.workers; ++number) {
        workers.emplace_back([&] { work(bench.store(), left, options.batch); });
    }
    workers.clear();
    watch.report(fmt::format("drain, {} workers, {} queued behind", options.workers, options.queued),
                 options.jobs - left);
}

void measure_pickup(const Options& options) {
    Bench bench(options);
    Store& store = bench.store();
    std::vector<double> waits, adds;
    std::atomic<std::int64_t> added_at = 0;
    const auto now = [] { return std::chrono::steady_clock::now().time_since_epoch().count(); };
    std::binary_semaphore picked_up(0);
    std::jthread worker([&](std::stop_token stop) {
        const WorkerId id = store.register_worker("bench").value();
        std::uint64_t seen = 0;
        while (!stop.stop_requested()) {
            const auto jobs = store.lease({.worker = id, .kinds = {{"work", 1}}}).value().jobs;
            if (jobs.empty()) {
                seen = store.wait_for_change(seen, store.now() + std::chrono::hours(1), stop);
                continue;
            }
            waits.push_back(static_cast<double>(now() - added_at) / 1e6);
            (void)store.finish({{jobs[0].lease, {}}});
            picked_up.release();
        }
    });
    for (int count = 0; count < 1'000; ++count) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // until everybody sleeps
        added_at = now();
        if (!store.add(bench.jobs(1))) std::exit(2);
        adds.push_back(static_cast<double>(now() - added_at) / 1e6);
        picked_up.acquire();
    }
    worker.request_stop();
    worker.join();
    std::ranges::sort(waits);
    std::ranges::sort(adds);
    fmt::print("pickup from the call of add: p50 {:.3f} ms, p99 {:.3f} ms (add alone: p50 {:.3f} ms)\n",
               waits[waits.size() / 2], waits[waits.size() * 99 / 100], adds[adds.size() / 2]);
}

// A crawl without the web: each URL brings a page and the links of a site where most are known.
void measure_crawl(const Options& options) {
    Bench bench(options);
    Store& store = bench.store();
    const auto found = [&](std::uint64_t key) {
        return FoundUrl{.url = fmt::format("https://site.example/section/page-{}.html", key),
                        .key = {key * 0x9e3779b97f4a7c15ull, key * 0xc2b2ae3d27d4eb4full},
                        .host = "site.example"};
    };
    const auto pages = static_cast<std::uint64_t>(options.jobs);
    const GroupId group =
        store.add_group({.page_limit = options.jobs, .url_limit = options.jobs * 2}, {}, {found(1)}).value();
    const WorkerId worker = store.register_worker("bench").value();
    const Stopwatch watch;
    const PackedContent content =
        pack({.markdown = std::string(static_cast<std::size_t>(options.payload), 'm')}).value();
    std::counting_semaphore<> room(8);
    std::uint64_t done = 0, next = 2;
    while (done < pages) {
        const auto urls = store.lease({.worker = worker, .urls = 64, .urls_per_host = 512}).value().urls;
        std::vector<Finished> finished;
        for (const UrlLease& url : urls) {
            Outcome outcome{.status = 200};
            outcome.pages.push_back({.key = url.key,
                                     .facts = {.url = url.url, .final_url = url.url, .title = "A page"},
                                     .content = content});
            for (int link = 0; link < 4 && next <= pages; ++link) outcome.found.push_back(found(next++));
            for (std::uint64_t link = 1; link < 30; ++link) {
                const FoundUrl old = found(1 + (number(url.lease.id) * link) % next);
                if (!store.knows(group, old.key)) outcome.found.push_back(old);
            }
            finished.push_back({url.lease, std::move(outcome)});
        }
        done += urls.size();
        if (finished.empty()) continue;
        room.acquire();
        store.finish(std::move(finished), [&](Result<std::vector<Verdict>> verdicts) {
            if (!verdicts) fmt::print(stderr, "{}\n", verdicts.error().message), std::exit(2);
            room.release();
        });
    }
    for (int count = 0; count < 8; ++count) room.acquire();
    watch.report("crawl without the web", options.jobs);
}

// The outbox, filled by an import and drained as an indexer would that takes no time: a batch is leased,
// finished together, and the next one leased before that is durable.
void measure_outbox(const Options& options) {
    Bench bench(options);
    const PackedContent content =
        pack({.markdown = std::string(static_cast<std::size_t>(options.payload), 'm')}).value();
    const Stopwatch writing;
    for (int first = 0; first < options.jobs; first += 1'000) {
        PageBatch batch;
        for (int key = first; key < std::min(first + 1'000, options.jobs); ++key) {
            const auto bits = static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15ull;
            batch.pages.push_back({.key = {bits, bits},
                                   .facts = {.url = fmt::format("https://site.example/page-{}.html", key)},
                                   .content = content});
        }
        if (!bench.store().write_pages(std::move(batch))) std::exit(2);
    }
    writing.report("write pages, 1000 at a time", options.jobs);
    ::sync();
    bench.open();
    Store& store = bench.store();
    const WorkerId worker = store.register_worker("bench").value();
    const Stopwatch watch;
    std::counting_semaphore<> room(8);
    int done = 0;
    while (true) {
        const auto changes = store.lease({.worker = worker, .changes = options.batch}).value().changes;
        if (changes.empty()) break;
        std::vector<Finished> finished;
        for (const ChangeLease& change : changes) {
            store.begin(change.lease);
            finished.push_back({change.lease, {.timings = {.index = std::chrono::microseconds(1)}}});
        }
        done += static_cast<int>(changes.size());
        room.acquire();
        store.finish(std::move(finished), [&](Result<std::vector<Verdict>> verdicts) {
            if (!verdicts) std::exit(2);
            room.release();
        });
    }
    for (int count = 0; count < 8; ++count) room.acquire();
    watch.report(fmt::format("drain of the outbox, {} at a time", options.batch), done);
}

Options parse(int count, char** arguments) {
    Options options;
    for (int index = 1; index < count; ++index) {
        const std::string name = arguments[index];
        const auto next = [&] { return index + 1 < count ? std::atoi(arguments[++index]) : 0; };
        if (name == "--jobs")
            options.jobs = next();
        else if (name == "--queued")
            options.queued = next();
        else if (name == "--payload")
            options.payload = next();
        else if (name == "--producers")
            options.producers = next();
        else if (name == "--workers")
            options.workers = next();
        else if (name == "--bulk")
            options.bulk = next();
        else if (name == "--batch")
            options.batch = next();
        else if (name == "--normal")
            options.durability = Durability::normal;
        else if (name == "--pinned")
            options.pinned = true;
        else if (name == "--slices")
            options.slices = true;
        else if (name == "--folder" && index + 1 < count)
            options.folder = arguments[++index];
        else if (name == "--store" && index + 1 < count)
            options.store = arguments[++index];
        else
            options.mode = name;
    }
    return options;
}

}  // namespace

int main(int count, char** arguments) {
    const Options options = parse(count, arguments);
    if (options.mode == "--add")
        measure_add(options);
    else if (options.mode == "--drain")
        measure_drain(options);
    else if (options.mode == "--pickup")
        measure_pickup(options);
    else if (options.mode == "--crawl")
        measure_crawl(options);
    else if (options.mode == "--outbox")
        measure_outbox(options);
    else
        fmt::print("queue_bench --add | --drain | --pickup | --crawl | --outbox; see the top of the file\n");
}
