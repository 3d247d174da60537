// What a store in Redis promises beyond the others: several processes, servers that die, settings that lose
// work.
#include "store/redis/store.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <set>
#include <thread>

#include <doctest/doctest.h>

#include "servers/redis.h"
#include "servers/temporary_folder.h"
#include "store/redis/encoding.h"
#include "store/redis/link.h"
#include "store/sqlite/store.h"

namespace quarry::store::redis {

namespace {

using namespace std::chrono_literals;

// The test ends here if Redis is not installed.
#define SERVER(server, ...)                                \
    const auto server = test::Redis::start({__VA_ARGS__}); \
    if (!server) {                                         \
        MESSAGE("skipped: Redis is not installed");        \
        return;                                            \
    }

Result<std::unique_ptr<Store>> open(const test::Redis& server, const std::string& content_file,
                                    RedisStoreConfig config = {}) {
    config.url = server.url();
    config.limits.low_disk_bytes = 0;
    config.content = open_sqlite_store({.path = content_file, .limits = config.limits}).value();
    return open_redis_store(std::move(config));
}

FoundUrl url(std::uint64_t key, const std::string& host = "a.example") {
    return {.url = "https://" + host + "/" + std::to_string(key), .key = {1, key}, .host = host};
}

// Asked again and again, since the server needs a moment to come back.
template <typename Ask>
auto until_available(Ask ask) {
    auto answer = ask();
    while (!answer && answer.error().code == ErrorCode::unavailable) answer = ask();
    return answer;
}

Message demand(WorkerId worker, std::int64_t call, std::int64_t lost_call) {
    Message message;
    message.list(10).add(number(worker)).list(2).add("work").add(5).add(0).add(64);
    message.list(0).list(0).add(call).add(lost_call).add(64).list(0);
    return message;
}

}  // namespace

TEST_CASE("a server that may evict keys is refused, and the sentence says what to set") {
    SERVER(server, .settings = "maxmemory-policy allkeys-lru");
    const test::TemporaryFolder folder;

    const auto store = open(*server, folder.file("quarry.db"));

    REQUIRE_FALSE(store);
    CHECK(store.error().code == ErrorCode::refused);
    CHECK(store.error().message.find("set maxmemory-policy noeviction") != std::string::npos);
}

TEST_CASE("a server that keeps nothing on disk is refused unless that is allowed") {
    SERVER(server, .fsync = "");
    const test::TemporaryFolder folder;
    std::vector<std::string> warnings;
    const auto warn = [&](std::string warning) { warnings.push_back(std::move(warning)); };

    CHECK(open(*server, folder.file("one.db")).error().code == ErrorCode::refused);
    CHECK(open(*server, folder.file("two.db"), {.allow_volatile = true, .warn = warn}));
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("a restart loses jobs") != std::string::npos);
}

TEST_CASE("a server that syncs every second is warned of, and one that always does is not") {
    const test::TemporaryFolder folder;
    std::vector<std::string> warnings;
    const auto warn = [&](std::string warning) { warnings.push_back(std::move(warning)); };
    SERVER(careful);
    REQUIRE(open(*careful, folder.file("one.db"), {.warn = warn}));
    CHECK(warnings.empty());

    SERVER(quick, .fsync = "everysec");
    REQUIRE(open(*quick, folder.file("two.db"), {.warn = warn}));

    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("up to a second") != std::string::npos);
}

TEST_CASE("a server that does not tell its settings is used, with a warning") {
    SERVER(server, .settings = "rename-command CONFIG \"\"");
    const test::TemporaryFolder folder;
    std::vector<std::string> warnings;

    CHECK(open(*server, folder.file("quarry.db"),
               {.warn = [&](std::string warning) { warnings.push_back(std::move(warning)); }}));
    CHECK(warnings.size() == 1);
}

TEST_CASE("a server that is away is unavailable, also later, and found again") {
    SERVER(server);
    const test::TemporaryFolder folder;
    auto store = open(*server, folder.file("quarry.db")).value();
    const WorkerId worker = store->register_worker("first").value();
    const auto added = store->add({{.kind = "work"}, {.kind = "work"}}).value();
    const auto leased = store->lease({.worker = worker, .kinds = {{"work", 1}}}).value().jobs;

    server->kill();
    CHECK(store->add({{.kind = "work"}}).error().code == ErrorCode::unavailable);
    CHECK(store->finish({{leased.at(0).lease, {}}}).error().code == ErrorCode::unavailable);
    server->restart();

    // What was acknowledged is there, and so is the lease.
    const auto verdicts = until_available([&] { return store->finish({{leased.at(0).lease, {}}}); });
    CHECK(verdicts.value().at(0) == Verdict::applied);
    const auto rest = store->lease({.worker = worker, .kinds = {{"work", 5}}}).value().jobs;
    REQUIRE(rest.size() == 1);
    CHECK(rest[0].lease.id == added[1].id);
}

TEST_CASE("of a server that is killed while jobs are added and done nothing acknowledged is lost") {
    SERVER(server);
    const test::TemporaryFolder folder;
    auto store = open(*server, folder.file("quarry.db")).value();
    const WorkerId worker = store->register_worker("first").value();
    std::atomic<std::size_t> acknowledged = 0;
    std::set<JobId> added, done;
    std::size_t done_again = 0;
    std::jthread adding([&](std::stop_token stop) {
        while (!stop.stop_requested()) {
            const auto ids = store->add({{.kind = "work"}, {.kind = "work"}});
            if (!ids) continue;
            for (const Added& one : *ids) added.insert(one.id);
            ++acknowledged;
        }
    });
    // False when nothing is left.
    const auto drain = [&](WorkerId by) {
        const auto leased = store->lease({.worker = by, .kinds = {{"work", 5}}});
        if (!leased) return true;
        for (const JobLease& job : leased->jobs) {
            done_again += done.contains(job.lease.id);
            const auto verdicts = store->finish({{job.lease, {}}});
            if (verdicts && verdicts->at(0) == Verdict::applied) done.insert(job.lease.id);
        }
        ++acknowledged;
        return !leased->jobs.empty();
    };
    std::jthread draining([&](std::stop_token stop) {
        while (!stop.stop_requested()) drain(worker);
    });

    for (int kill = 0; kill < 3; ++kill) {
        const std::size_t enough = acknowledged + 100;
        while (acknowledged < enough) std::this_thread::yield();
        server->kill();
        server->restart();
    }
    adding = {};
    draining = {};
    // What it had when the server died, and said nothing of any more.
    REQUIRE(until_available([&] { return store->retire_worker(worker); }));
    const WorkerId last = store->register_worker("last").value();
    while (drain(last)) continue;

    const auto reader = open_redis_reader({.url = server->url(),
                                           .content = open_sqlite_reader(folder.file("quarry.db")).value()})
                            .value();
    const auto is_lost = [&](JobId id) { return reader->job(id).value().state != JobState::completed; };
    CHECK(done_again == 0);
    CHECK(std::ranges::none_of(added, is_lost));
    CHECK(std::ranges::none_of(done, is_lost));
    CHECK(added.size() > 100);
}

TEST_CASE("two processes share the work, and each job is done once") {
    SERVER(server, .fsync = "everysec");
    const test::TemporaryFolder folder;
    auto first = open(*server, folder.file("one.db")).value();
    auto second = open(*server, folder.file("two.db")).value();
    REQUIRE(first->add(std::vector<NewJob>(300, NewJob{.kind = "work"})));
    const auto drain = [](Store& store) {
        const WorkerId worker = store.register_worker("worker").value();
        std::vector<JobId> done;
        while (true) {
            const auto leased = store.lease({.worker = worker, .kinds = {{"work", 7}}}).value().jobs;
            if (leased.empty()) return done;
            for (const JobLease& job : leased) {
                if (store.finish({{job.lease, {}}}).value().at(0) == Verdict::applied)
                    done.push_back(job.lease.id);
            }
        }
    };

    auto of_first = std::async(std::launch::async, [&] { return drain(*first); });
    std::vector<JobId> all = drain(*second);
    for (const JobId id : of_first.get()) all.push_back(id);

    std::ranges::sort(all);
    CHECK(all.size() == 300);
    CHECK(std::ranges::adjacent_find(all) == all.end());
}

TEST_CASE("who waits in one process is woken by what another adds, and observers hear of it") {
    SERVER(server, .fsync = "everysec");
    const test::TemporaryFolder folder;
    auto first = open(*server, folder.file("one.db")).value();
    auto second = open(*server, folder.file("two.db")).value();
    std::promise<GroupId> heard;
    const auto observer = second->observe([&, once = false](std::span<const Event> events) mutable {
        for (const Event& event : events) {
            if (event.group && !std::exchange(once, true)) heard.set_value(*event.group);
        }
    });
    const std::uint64_t seen = second->wait_for_change(0, second->now(), {});

    const GroupId group = first->add_group({}, {{.kind = "work"}}, {}).value();

    std::uint64_t changed = seen;
    while (changed == seen) changed = second->wait_for_change(seen, second->now() + 10s, {});
    CHECK(heard.get_future().get() == group);
}

TEST_CASE("a host keeps its pace from one process to the next") {
    SERVER(server, .fsync = "everysec");
    const test::TemporaryFolder folder;
    ManualClock clock;
    auto first = open(*server, folder.file("one.db"), {.clock = &clock}).value();
    auto second = open(*server, folder.file("two.db"), {.clock = &clock}).value();
    const WorkerId one = first->register_worker("one").value(), two = second->register_worker("two").value();
    REQUIRE(first->add_group({}, {}, {url(1), url(2), url(3)}));
    const auto leased = first->lease({.worker = one, .urls = 1}).value().urls;
    CHECK(second->lease({.worker = two, .urls = 1}).value().urls.empty());

    REQUIRE(first->finish({{leased.at(0).lease, {.hosts = {{.host = "a.example", .delay = 2s}}}}}));

    const Leased early = second->lease({.worker = two, .urls = 1}).value();
    CHECK(early.urls.empty());
    CHECK(early.next_due == clock.now() + 2s);
    clock.advance(2s);
    CHECK(second->lease({.worker = two, .urls = 1}).value().urls.size() == 1);
}

TEST_CASE("what a lease gave whose answer was lost is given again") {
    SERVER(server, .fsync = "everysec");
    const test::TemporaryFolder folder;
    auto store = open(*server, folder.file("quarry.db")).value();
    const auto added = store->add({{.kind = "work"}, {.kind = "work"}}).value();
    const WorkerId worker = store->register_worker("first").value();
    RedisLink link({.url = server->url(), .prefix = "quarry:"});
    const auto lost = link.call("lease", demand(worker, 1, 0)).value();
    REQUIRE(lost.result()[0].size() == 2);
    REQUIRE(link.call("lease", demand(worker, 2, 0)).value().result()[0].size() == 0);
    CHECK(link.call("lease", demand(worker, 3, 1)).value().result()[0].size() == 0);  // not the last one

    REQUIRE(store->release({{added[0].id, Token(lost.result()[0][0][1].integer())},
                            {added[1].id, Token(lost.result()[0][1][1].integer())}}));
    REQUIRE(link.call("lease", demand(worker, 4, 0)).value().result()[0].size() == 2);
    CHECK(link.call("lease", demand(worker, 5, 4)).value().result()[0].size() == 2);
}

TEST_CASE("a group of more jobs than one script ends is cancelled whole") {
    SERVER(server, .fsync = "everysec");
    const test::TemporaryFolder folder;
    auto store = open(*server, folder.file("quarry.db")).value();
    auto reader = open_redis_reader(
                      {.url = server->url(), .content = open_sqlite_reader(folder.file("quarry.db")).value()})
                      .value();
    const WorkerId worker = store->register_worker("first").value();
    const GroupId group =
        store->add_group({}, std::vector<NewJob>(1'300, NewJob{.kind = "work"}), {}).value();
    const auto leased = store->lease({.worker = worker, .kinds = {{"work", 600}}}).value().jobs;
    REQUIRE(leased.size() == 600);

    REQUIRE(store->cancel(group));

    const auto counts = reader->job_counts({.kind = "work"}).value();
    REQUIRE(counts.size() == 1);
    CHECK(counts[0].state == JobState::cancelled);
    CHECK(counts[0].count == 1'300);
    CHECK(store->finish({{leased[0].lease, {}}}).value().at(0) == Verdict::conflict);
    CHECK(store->add({{.kind = "work"}}));
    CHECK(store->lease({.worker = worker, .kinds = {{"work", 600}}}).value().jobs.size() == 1);
}

TEST_CASE("a paused group of more jobs than one script puts in line goes on whole") {
    SERVER(server, .fsync = "everysec");
    const test::TemporaryFolder folder;
    auto store =
        open(*server, folder.file("quarry.db"), {.limits = {.running_jobs_per_owner = 5'000}}).value();
    const WorkerId worker = store->register_worker("first").value();
    const GroupId group =
        store->add_group({}, std::vector<NewJob>(1'300, NewJob{.kind = "work"}), {}).value();
    REQUIRE(store->pause(group));
    CHECK(store->lease({.worker = worker, .kinds = {{"work", 2'000}}}).value().jobs.empty());

    REQUIRE(store->resume(group));

    std::size_t leased = 0;
    for (int call = 0; call < 5; ++call)
        leased += store->lease({.worker = worker, .kinds = {{"work", 2'000}}}).value().jobs.size();
    CHECK(leased == 1'300);
}

TEST_CASE("nothing is left of jobs and groups that were swept") {
    SERVER(server, .fsync = "everysec");
    const test::TemporaryFolder folder;
    ManualClock clock;
    auto connection = db::RedisConnection::open({.url = server->url()}).value();
    const auto keys = [&] {
        const auto all = connection.run({"KEYS", "quarry:*"}).value();
        std::vector<std::string> names;
        for (std::size_t index = 0; index < all.value().size(); ++index) names.push_back(all[index].string());
        std::ranges::sort(names);
        return names;
    };
    {
        auto store = open(*server, folder.file("quarry.db"), {.clock = &clock}).value();
        const WorkerId worker = store->register_worker("first").value();
        REQUIRE(
            store->add({{.kind = "work", .payload = "p", .deadline = clock.now() + 1h, .unique_key = "k"}}));
        REQUIRE(store->add_group({.request_key = "r", .closing_jobs = {{.kind = "work"}}}, {{.kind = "work"}},
                                 {url(1), url(2, "b.example")}));
        const Leased leased = store->lease({.worker = worker, .kinds = {{"work", 5}}, .urls = 5}).value();
        for (const JobLease& job : leased.jobs)
            REQUIRE(
                store->finish({{job.lease, {.end = Completed{"done"}, .roots = {"https://c.example/"}}}}));
        for (const UrlLease& one : leased.urls) REQUIRE(store->finish({{one.lease, {.found = {url(3)}}}}));
        const auto later = store->lease({.worker = worker, .urls = 5}).value().urls;
        for (const UrlLease& one : later)
            REQUIRE(store->finish({{one.lease, {.end = Retry{"no", clock.now() + 5s}}}}));
        clock.advance(10s);
        const auto again = store->lease({.worker = worker, .urls = 5}).value().urls;
        for (const UrlLease& one : again) REQUIRE(store->finish({{one.lease, {.end = Failed{"no"}}}}));
        const auto closing = store->lease({.worker = worker, .kinds = {{"work", 5}}}).value().jobs;
        for (const JobLease& job : closing) REQUIRE(store->finish({{job.lease, {}}}));
        clock.advance(24h * 40);
        while (store->sweep({}, 1s).value().groups > 0) {
        }
    }

    CHECK(keys() == std::vector<std::string>{"quarry:claims:work", "quarry:host_names", "quarry:hosts",
                                             "quarry:ids", "quarry:meta", "quarry:owners", "quarry:tokens",
                                             "quarry:usage:local"});
}

TEST_CASE("numbers and bytes reach the scripts as they are") {
    SERVER(server, .fsync = "everysec");
    auto connection = db::RedisConnection::open({.url = server->url()}).value();
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
    const std::int64_t numbers[] = {
        0, 1, 127, 128, -1, -200, 65'536, 1'760'000'000'000, 9'007'199'254'740'991};
    Message message;
    message.list(std::size(numbers) + 2);
    for (const std::int64_t value : numbers) message.add(value);
    message.add(bytes).nothing();

    const auto answer =
        connection
            .run({"EVAL", "local m = cmsgpack.unpack(ARGV[1]); m[11] = m[11] == false and 7; return m", "0",
                  message.bytes()})
            .value();

    for (std::size_t index = 0; index < std::size(numbers); ++index)
        CHECK(answer[index].integer() == numbers[index]);
    CHECK(answer[9].text() == bytes);
    CHECK(answer[10].integer() == 7);
}

TEST_CASE("a worker takes no more hosts than it can serve, and leaves the others to others") {
    SERVER(server);
    const test::TemporaryFolder folder;
    const auto store = open(*server, folder.file("quarry.db")).value();
    std::vector<FoundUrl> urls;
    for (std::uint64_t key = 0; key < 40; ++key)
        urls.push_back(url(key, "host" + std::to_string(key % 8) + ".example"));
    REQUIRE(store->add_group({}, {}, urls));
    const WorkerId one = store->register_worker("one").value();
    const WorkerId other = store->register_worker("other").value();
    const auto hosts_of = [](const std::vector<UrlLease>& leased) {
        std::set<std::string> hosts;
        for (const UrlLease& lease : leased) hosts.insert(lease.host_name);
        return hosts;
    };

    const auto first = store->lease({.worker = one, .urls = 6, .new_hosts = 3}).value().urls;
    const auto rest = store->lease({.worker = other, .urls = 100, .new_hosts = 100}).value().urls;
    const auto more = store->lease({.worker = one, .urls = 100, .new_hosts = 0}).value().urls;

    CHECK(first.size() == 6);
    CHECK(hosts_of(first).size() == 3);
    CHECK(rest.size() == 25);
    CHECK(hosts_of(rest).size() == 5);
    CHECK(more.size() == 9);
    CHECK(hosts_of(more) == hosts_of(first));
}

TEST_CASE("a worker that comes first leaves others their share of what an owner may have under way") {
    SERVER(server);
    const test::TemporaryFolder folder;
    const auto store =
        open(*server, folder.file("quarry.db"), {.limits = {.running_jobs_per_owner = 10}}).value();
    std::vector<FoundUrl> urls;
    for (std::uint64_t key = 0; key < 40; ++key)
        urls.push_back(url(key, "host" + std::to_string(key) + ".example"));
    REQUIRE(store->add_group({}, {}, urls));
    const WorkerId one = store->register_worker("one").value();
    const WorkerId other = store->register_worker("other").value();

    CHECK(store->lease({.worker = one, .urls = 40}).value().urls.size() == 5);
    CHECK(store->lease({.worker = other, .urls = 40}).value().urls.size() == 3);
    REQUIRE(store->retire_worker(other));
    CHECK(store->lease({.worker = one, .urls = 40}).value().urls.size() == 5);
    CHECK(store->lease({.worker = one, .urls = 40}).value().urls.empty());
}

}  // namespace quarry::store::redis
