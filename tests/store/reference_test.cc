// Random work on a store and on the reference beside it: they must not differ. A run is a list of numbers, so
// that a failing one can be cut down to the few steps that matter, and comes again from its seed.
#include "store/reference.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "effort.h"
#include "servers/postgres.h"
#include "servers/temporary_folder.h"
#include "store/postgres/store.h"
#include "store/rows/pages.h"
#include "store/sqlite/store.h"

namespace quarry::test {

namespace {

using namespace std::chrono_literals;
using store::LeaseRef;
using store::Outcome;

// Small limits, so that they are often reached.
store::StoreLimits small_limits() {
    return {.lease_duration = 60s,
            .max_stalls = 1,
            .url_attempts = 2,
            .change_attempts = 2,
            .max_open_jobs_per_owner = 12,
            .running_jobs_per_owner = 4,
            .running_groups_per_owner = 2,
            .low_disk_bytes = 0};
}

class OnSqlite {
public:
    static constexpr auto room = Reference::Room::first;

    OnSqlite() { open(); }
    void restart() {
        reader.reset();
        store.reset();
        open();
    }

    ManualClock clock;
    std::unique_ptr<store::Store> store;
    std::unique_ptr<store::Reader> reader;

private:
    void open() {
        const std::string path = folder_.file("quarry.db");
        store = store::open_sqlite_store({.path = path,
                                          .limits = small_limits(),
                                          .durability = store::Durability::normal,
                                          .clock = &clock})
                    .value();
        reader = store::open_sqlite_reader(path).value();
    }

    TemporaryFolder folder_;
};

class OnPostgres {
public:
    static constexpr auto room = Reference::Room::shared;

    OnPostgres() { open(); }
    ~OnPostgres() { close(); }
    void restart() {
        close();
        open();
    }

    ManualClock clock;
    std::unique_ptr<store::Store> store;
    std::unique_ptr<store::Reader> reader;

private:
    void close() {
        reader.reset();
        store.reset();
    }
    void open() {
        const db::PgConfig config{.url = database_.url()};
        store = store::open_postgres_store({.database = config, .limits = small_limits(), .clock = &clock})
                    .value();
        reader = store::open_postgres_reader(config).value();
    }

    EmptyDatabase database_;
};

using Step = std::array<std::uint32_t, 5>;

// One run. Each step chooses by its own numbers among what there is, so that it still means something when
// steps before it are left out.
template <typename Backend>
class Run {
public:
    // What went wrong, or "".
    std::string play(const std::vector<Step>& steps) {
        register_workers();
        for (const Step& step : steps) {
            reference_.now = backend_.clock.now();
            trace_.clear();
            std::string wrong = play(step);
            if (wrong.empty()) wrong = settle_and_compare();
            told_.push_back(trace_);
            if (!wrong.empty()) return wrong;
        }
        return "";
    }
    std::string trace() const { return fmt::format("{}", fmt::join(told_, "\n")); }

private:
    std::string play(const Step& step) {
        switch (step[0] % 30) {
            case 0:
            case 1:
            case 2: return add_jobs(step);
            case 3: return add_group(step);
            case 4: return groups_.size() < 6 ? add_group(step) : change_group(step);
            case 5:
            case 6:
            case 7:
            case 8: return lease(step);
            case 9:
            case 10: return begin(step);
            case 11: return step[1] % 2 == 0 ? beat(step) : release(step);
            case 12:
            case 13: return advance(step);
            case 14: return change_group(step);
            case 15:
            case 16: return change_jobs(step);
            case 17: return change_urls(step);
            case 18: return step[1] % 3 == 0 ? restart() : "";
            case 19:
            case 20: return write_page(step);
            case 21: return step[1] % 2 == 0 ? forget_page(step) : index_again();
            default: return finish(step);
        }
    }

    void register_workers() {
        workers_.clear();
        reference_.now = backend_.clock.now();
        for (const char* name : {"first", "second"}) {
            workers_.push_back(backend_.store->register_worker(name).value());
            reference_.register_worker(workers_.back());
        }
    }

    NewJob some_job(std::uint32_t dice) {
        const Timestamp now = backend_.clock.now();
        NewJob job{.kind = dice % 2 == 0 ? "work" : "play", .payload = fmt::format("job-{}", ++labels_)};
        job.priority = static_cast<int>(dice / 2 % 3);
        job.max_attempts = static_cast<int>(1 + dice / 8 % 3);
        job.owner = dice / 16 % 2 == 0 ? "ann" : "bob";
        if (dice / 32 % 4 == 0) job.unique_key = fmt::format("key-{}", dice / 128 % 5);
        if (dice / 1024 % 5 == 0) job.run_at = now + 20s;
        if (dice / 8192 % 7 == 0) job.start_by = now + 40s;
        if (dice / 65536 % 7 == 0) job.deadline = now + 70s;
        if (!groups_.empty() && dice / 524288 % 3 == 0) job.group = recent_group(dice);
        return job;
    }

    // Among few, so that much happens to each.
    GroupId recent_group(std::uint32_t dice) const {
        return groups_[groups_.size() - 1 - dice % std::min<std::size_t>(groups_.size(), 4)];
    }

    FoundUrl some_url(std::uint32_t dice) {
        return {.url = fmt::format("https://{}.example/{}", dice % 3, dice % 30),
                .key = {.high = 1, .low = dice % 30},
                .host = fmt::format("{}.example", dice % 3),
                .priority = static_cast<int>(dice / 64 % 2)};
    }

    std::string add_jobs(const Step& step) {
        const NewJob job = some_job(step[1]);
        trace_ = fmt::format("add {} key '{}' group {}", job.payload, job.unique_key,
                             job.group ? number(*job.group) : 0);
        const bool refused = reference_.add_is_refused({job});
        const auto added = backend_.store->add({job});
        if (!added) {
            return refused && added.error().code == reference_.add_code({job}) ? "" : added.error().message;
        }
        if (refused) return "it was added, but should have been refused";
        return reference_.add(job, added->at(0).id) == added->at(0).existed ? ""
                                                                            : "its unique key was overlooked";
    }

    std::string add_group(const Step& step) {
        NewGroup group{.owner = step[1] % 2 == 0 ? "ann" : "bob",
                       .priority = static_cast<int>(step[1] / 2 % 3),
                       .concurrency = step[1] / 8 % 4 == 0 ? Concurrency::exclusive : Concurrency::shared,
                       .page_limit = static_cast<std::int64_t>(1 + step[2] % 8),
                       .url_limit = static_cast<std::int64_t>(2 + step[2] / 8 % 12),
                       .site = "example"};
        if (step[3] % 3 == 0) {
            group.closing_jobs.push_back({.kind = "work", .payload = fmt::format("job-{}", ++labels_)});
        }
        std::vector<FoundUrl> seeds;
        for (std::uint32_t count = step[3] / 4 % 4; count > 0; --count)
            seeds.push_back(some_url(step[4] / count));
        const auto id = backend_.store->add_group(group, {}, seeds);
        if (!id) return id.error().message;
        trace_ =
            fmt::format("add group {} of {}{} with {} URLs, at most {} pages, {} closing jobs", number(*id),
                        group.owner, group.concurrency == Concurrency::exclusive ? ", alone" : "",
                        seeds.size(), group.page_limit, group.closing_jobs.size());
        groups_.push_back(*id);
        reference_.add_group(*id, group, {}, seeds);
        return "";
    }

    std::string lease(const Step& step) {
        const WorkerId worker = workers_[step[1] % 2];
        store::Demand demand{.worker = worker};
        if (step[2] % 3 != 0) demand.kinds.push_back({"work", static_cast<int>(step[2] % 4)});
        if (step[3] % 3 != 0) demand.kinds.push_back({"play", static_cast<int>(step[3] % 4)});
        demand.urls = static_cast<int>(step[4] % 5);
        demand.changes = static_cast<int>(step[4] / 8 % 4);
        if (step[4] / 64 % 4 == 0) demand.change_collection = collections[step[4] / 256 % 2];
        reference_.do_what_is_due(worker);
        if (auto poked = backend_.store->lease({.worker = worker}); !poked) return poked.error().message;
        const auto leased = backend_.store->lease(demand);
        if (!leased) return leased.error().message;
        trace_ = fmt::format("lease for {}: {} jobs, {} URLs, {} changes", number(worker),
                             leased->jobs.size(), leased->urls.size(), leased->changes.size());
        std::string wrong = reference_.take(demand, *leased);
        for (const auto& job : leased->jobs) held_.push_back(job.lease);
        for (const auto& url : leased->urls) held_.push_back(url.lease);
        for (const auto& change : leased->changes) held_.push_back(change.lease);
        return wrong;
    }

    // The reference learns the ids of new changes at once, so that they can be cancelled before they are
    // leased.
    std::string learn_changes() {
        return reference_.learn_ids(
            backend_.reader->jobs({.filter = {.kind = "embed_page"}, .limit = 10'000}).value());
    }

    std::string write_page(const Step& step) {
        const std::string collection = collections[step[1] % 2];
        const std::uint64_t key = step[1] / 2 % 5;
        const int words = static_cast<int>(step[2] % 3), priority = static_cast<int>(step[3] % 3);
        trace_ = fmt::format("write page {} of {}: {}", key, collection, words);
        PageWrite page{.key = {7, key},
                       .facts = {.url = fmt::format("https://pages.example/{}", key),
                                 .content_hash = static_cast<std::uint64_t>(words)},
                       .content = store::pack({.markdown = "words", .details = "{}"}).value()};
        const auto written = backend_.store->write_pages(
            {.collection = collection, .priority = priority, .pages = {std::move(page)}});
        if (!written) return written.error().message;
        reference_.write_page(collection, key, words, priority);
        return learn_changes();
    }

    std::string forget_page(const Step& step) {
        const std::uint64_t key = step[1] / 2 % 5;
        trace_ = fmt::format("forget page {}", key);
        const auto forgotten = backend_.store->forget({.keys = {{7, key}}});
        if (!forgotten) return forgotten.error().message;
        if (*forgotten != reference_.forget_page(key)) return "not as many were forgotten";
        return learn_changes();
    }

    std::string index_again() {
        trace_ = "index again";
        const auto added = backend_.store->index_again({});
        if (!added) return added.error().message;
        if (*added != reference_.index_again()) return "not as many are indexed again";
        return learn_changes();
    }

    std::string begin(const Step& step) {
        if (held_.empty()) return "";
        const LeaseRef lease = held_[step[1] % held_.size()];
        trace_ = fmt::format("begin {}", number(lease.id));
        backend_.store->begin(lease);
        reference_.begin(lease);
        return "";
    }

    std::string beat(const Step& step) {
        const WorkerId worker = workers_[step[1] % 2];
        const auto lost = backend_.store->beat(worker, {});
        if (!lost) return lost.error().message;
        trace_ = fmt::format("beat of {}: {} lost", number(worker), lost->size());
        const std::set<JobId> expected = reference_.beat(worker);
        return std::set<JobId>(lost->begin(), lost->end()) == expected
                   ? ""
                   : fmt::format("{} leases should have been lost", expected.size());
    }

    std::string release(const Step& step) {
        if (held_.empty()) return "";
        const LeaseRef lease = held_[step[1] % held_.size()];
        trace_ = fmt::format("release {}", number(lease.id));
        if (auto released = backend_.store->release({lease}); !released) return released.error().message;
        reference_.release(lease);
        return "";
    }

    std::string advance(const Step& step) {
        const auto by = step[1] % 4 == 0 ? 61s : std::chrono::seconds(step[1] % 25);
        trace_ = fmt::format("{} s later", by.count());
        backend_.clock.advance(by);
        return "";
    }

    Outcome some_outcome(const Step& step) {
        Outcome outcome;
        const Timestamp now = backend_.clock.now();
        switch (step[2] % 8) {
            case 0: outcome.end = store::Retry{.error = "again", .not_before = now + 10s}; break;
            case 1: outcome.end = store::Retry{.error = "again", .not_before = now}; break;
            case 2: outcome.end = store::Failed{.error = "no"}; break;
            case 3: outcome.end = store::Skipped{.reason = SkipReason::robots}; break;
            case 4: outcome.end = store::Snooze{.until = now + 5s}; break;
            default: outcome.end = store::Completed{}; break;
        }
        if (std::holds_alternative<store::Failed>(outcome.end)) outcome.status = step[2] % 16 < 8 ? 404 : 500;
        for (std::uint32_t count = step[3] % 4; count > 0; --count) {
            outcome.found.push_back(some_url(step[4] / count));
        }
        if (step[3] % 11 == 0) {
            outcome.jobs.push_back(some_job(step[4]));
            outcome.jobs.back().group.reset();
        }
        return outcome;
    }

    std::string finish(const Step& step) {
        if (held_.empty()) return "";
        // Mostly the newest, now and then one that ended long ago.
        const std::size_t back = step[1] % 4 == 0 ? step[1] / 4 % held_.size()
                                                  : step[1] / 4 % std::min<std::size_t>(held_.size(), 5);
        const LeaseRef lease = held_[held_.size() - 1 - back];
        const Outcome outcome = some_outcome(step);
        const auto verdicts = backend_.store->finish({{lease, outcome}});
        if (!verdicts) return verdicts.error().message;
        trace_ = fmt::format("finish {} as {}, {} found, {} jobs: verdict {}", number(lease.id),
                             outcome.end.index(), outcome.found.size(), outcome.jobs.size(),
                             static_cast<int>(verdicts->at(0)));
        const store::Verdict expected = reference_.finish(lease, outcome);
        return verdicts->at(0) == expected ? ""
                                           : fmt::format("verdict should be {}", static_cast<int>(expected));
    }

    std::string change_group(const Step& step) {
        if (groups_.empty()) return "";
        const GroupId group = recent_group(step[1]);
        static constexpr std::array names = {"cancel", "fail", "pause", "resume", "resume", "reprioritise"};
        const std::size_t what = step[2] % names.size();
        const int priority = static_cast<int>(step[3] % 3);
        trace_ = fmt::format("{} group {}", names[what], number(group));
        const auto done = what == 0   ? backend_.store->cancel(group)
                          : what == 1 ? backend_.store->fail_group(group, "reason")
                          : what == 2 ? backend_.store->pause(group)
                          : what <= 4 ? backend_.store->resume(group)
                                      : backend_.store->reprioritise(group, priority);
        const bool expected = what == 0   ? reference_.cancel(group)
                              : what == 1 ? reference_.fail_group(group)
                              : what == 2 ? reference_.pause(group)
                              : what <= 4 ? reference_.resume(group)
                                          : reference_.reprioritise(group, priority);
        return done.has_value() == expected ? "" : "one did it, the other did not";
    }

    std::string change_jobs(const Step& step) {
        std::vector<JobId> ids;
        for (const auto& [label, item] : reference_.items()) {
            if (item.is_url || item.id == 0) continue;
            if ((static_cast<std::uint32_t>(item.id) * 2'654'435'761u + step[1]) % 6 == 0)
                ids.push_back(JobId{item.id});
        }
        if (ids.empty()) return "";
        const store::JobFilter filter{.ids = ids};
        using Change = Reference::Change;
        const auto change = static_cast<Change>(step[2] % 5);
        static constexpr std::array names = {"cancel", "pause", "resume", "retry", "clear"};
        std::vector<std::int64_t> numbers;
        for (const JobId id : ids) numbers.push_back(number(id));
        trace_ = fmt::format("{} jobs {}", names[step[2] % 5], fmt::join(numbers, " "));
        const auto changed = change == Change::cancel   ? backend_.store->cancel(filter)
                             : change == Change::pause  ? backend_.store->pause(filter)
                             : change == Change::resume ? backend_.store->resume(filter)
                             : change == Change::retry  ? backend_.store->retry(filter)
                                                        : backend_.store->clear(filter);
        if (!changed) return changed.error().message;
        std::ranges::sort(ids);
        const std::int64_t expected = reference_.change(change, ids);
        return *changed == expected ? "" : fmt::format("{} were changed, should be {}", *changed, expected);
    }

    std::string change_urls(const Step& step) {
        if (groups_.empty()) return "";
        const GroupId group = recent_group(step[1]);
        const auto change = step[2] % 3 == 0 ? Reference::Change::cancel : Reference::Change::retry;
        const store::JobFilter filter{.group = group, .kind = "fetch_page"};
        trace_ = fmt::format("{} URLs of group {}", step[2] % 3 == 0 ? "cancel" : "retry", number(group));
        const auto changed = change == Reference::Change::cancel ? backend_.store->cancel(filter)
                                                                 : backend_.store->retry(filter);
        if (!changed) return changed.error().message;
        const std::int64_t expected = reference_.change_urls(change, group);
        return *changed == expected ? "" : fmt::format("{} were changed, should be {}", *changed, expected);
    }

    std::string restart() {
        trace_ = "restart";
        backend_.restart();
        reference_.restart();
        register_workers();
        return "";
    }

    // What is due by now happens at the next lease; it is asked for, so that both have done it.
    std::string settle_and_compare() {
        reference_.now = backend_.clock.now();
        for (const WorkerId worker : workers_) {
            if (backend_.clock.now() - last_poke_ < 30s) break;
            reference_.do_what_is_due(worker);
            if (auto poked = backend_.store->lease({.worker = worker}); !poked) return poked.error().message;
            last_poke_ = backend_.clock.now();
            break;
        }
        return reference_.difference(*backend_.reader);
    }

    static constexpr std::array<const char*, 2> collections = {"docs", "notes"};

    Backend backend_;
    Reference reference_{small_limits(), Backend::room};
    std::vector<WorkerId> workers_;
    std::vector<GroupId> groups_;
    std::vector<LeaseRef> held_;
    int labels_ = 0;
    Timestamp last_poke_{};
    std::string trace_;
    std::vector<std::string> told_;
};

template <typename Backend>
std::string play(const std::vector<Step>& steps) {
    return Run<Backend>().play(steps);
}

// Leaves out whatever can be left out while it still fails.
template <typename Backend>
std::vector<Step> shortened(std::vector<Step> steps) {
    std::size_t before = steps.size() + 1;
    for (std::size_t size = steps.size() / 2; size > 1 || steps.size() < before; size = (size + 1) / 2) {
        before = steps.size();
        for (std::size_t at = 0; at < steps.size();) {
            std::vector<Step> fewer = steps;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at),
                        fewer.begin() + static_cast<std::ptrdiff_t>(std::min(at + size, steps.size())));
            if (play<Backend>(fewer).empty()) {
                at += size;
            } else {
                steps = std::move(fewer);
            }
        }
    }
    return steps;
}

template <typename Backend>
void check_seed(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Step> steps(120);
    for (Step& step : steps) {
        for (std::uint32_t& number : step) number = static_cast<std::uint32_t>(random());
    }
    const bool is_the_same = play<Backend>(steps).empty();
    CHECK(is_the_same);
    if (is_the_same) return;
    Run<Backend> shortest;
    const std::string wrong = shortest.play(shortened<Backend>(std::move(steps)));
    FAIL("seed ", seed, ": ", wrong, "\n", shortest.trace());
}

}  // namespace

// QUARRY_SEEDS=18-18 in the environment plays one seed again, QUARRY_SEEDS=1-1000 many.
TEST_CASE_TEMPLATE("a store cannot be told from the reference", Backend, OnSqlite) {
    std::uint64_t first = 1, last = rounds(40);
    if (const char* seeds = std::getenv("QUARRY_SEEDS")) std::sscanf(seeds, "%lu-%lu", &first, &last);
    for (std::uint64_t seed = first; seed <= last; ++seed) check_seed<Backend>(seed);
}

TEST_CASE("a store in PostgreSQL cannot be told from the reference either") {
    if (!Postgres::is_installed()) {
        MESSAGE("skipped: PostgreSQL is not installed");
        return;
    }
    std::uint64_t first = 1, last = rounds(4);
    if (const char* seeds = std::getenv("QUARRY_SEEDS")) std::sscanf(seeds, "%lu-%lu", &first, &last);
    for (std::uint64_t seed = first; seed <= last; ++seed) check_seed<OnPostgres>(seed);
}

}  // namespace quarry::test
