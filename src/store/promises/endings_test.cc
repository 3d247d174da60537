// What every store promises about ends: whatever becomes of a job, a URL or a change, it does not go round
// for ever.
#include <map>
#include <random>

#include "store/promises/backend.h"
#include "store/rows/pages.h"

namespace quarry::store::promises {

namespace {

constexpr StoreLimits few{
    .max_stalls = 2, .max_snoozes = 3, .change_snoozes = 3, .url_attempts = 3, .change_attempts = 3};
// An attempt, or a stall, may be preceded by as many snoozes as there may be in a row.
constexpr int most_leases = (3 + 3) * (few.max_snoozes + 1);
constexpr int of_each = 4;

PageWrite some_page(std::uint64_t key) {
    const std::string url = "https://a.example/" + std::to_string(key);
    return {.key = {1, key},
            .facts = {.url = url, .final_url = url, .status = 200, .content_hash = key},
            .content = pack({.markdown = "words", .details = "{}"}).value()};
}

std::vector<LeaseRef> all_of(const Leased& leased) {
    std::vector<LeaseRef> leases;
    for (const JobLease& job : leased.jobs) leases.push_back(job.lease);
    for (const UrlLease& url : leased.urls) leases.push_back(url.lease);
    for (const ChangeLease& change : leased.changes) leases.push_back(change.lease);
    return leases;
}

// What keeps work from ending: everything but an end.
class Misfortune {
public:
    Misfortune(Backend& backend, unsigned seed) : backend_(backend), random_(seed) {}

    // Leases what is due and has something happen to it. Its workers never live long.
    void strike() {
        const std::string worker = "worker " + std::to_string(++workers_);
        const Leased leased =
            backend_.lease_for({.kinds = {{"work", of_each}}, .urls = of_each, .changes = of_each}, worker);
        for (const LeaseRef& lease : all_of(leased)) {
            ++leases_[number(lease.id)];
            befall(lease);
        }
        REQUIRE(backend_.store->retire_worker(backend_.worker(worker)));
        backend_.clock.advance(std::chrono::seconds(random_() % 60));
    }
    const std::map<std::int64_t, int>& leases() const { return leases_; }

private:
    void befall(const LeaseRef& lease) {
        const Timestamp later = backend_.clock.now() + std::chrono::seconds(random_() % 30);
        switch (random_() % 5) {
            case 0:
                CHECK(backend_.finish(lease, {.end = Retry{"no answer", later}}) == Verdict::applied);
                break;
            case 1:
                CHECK(backend_.finish(lease, {.end = Snooze{later, "not now"}}) == Verdict::applied);
                break;
            case 2: CHECK(backend_.store->release({lease})); break;
            case 3: backend_.store->begin(lease); break;  // and its worker dies
            default: break;                               // its worker dies before it begins
        }
    }

    Backend& backend_;
    std::minstd_rand random_;
    int workers_ = 0;
    std::map<std::int64_t, int> leases_;
};

}  // namespace

TEST_CASE_TEMPLATE("whatever happens, each job, URL and change ends", Backend, EVERY_STORE) {
    for (const unsigned seed : {1u, 2u, 3u, 4u}) {
        CAPTURE(seed);
        Backend backend(few);
        std::vector<JobId> jobs;
        std::vector<FoundUrl> urls;
        PageBatch pages;
        for (std::uint64_t count = 1; count <= of_each; ++count) {
            jobs.push_back(backend.add({.kind = "work"}));
            const std::string url = "https://b.example/" + std::to_string(count);
            urls.push_back({.url = url, .key = {2, count}, .host = "b.example"});
            pages.pages.push_back(some_page(count));
        }
        const GroupId group = backend.store->add_group({}, {}, urls).value();
        REQUIRE(backend.store->write_pages(std::move(pages)));
        Misfortune misfortune(backend, seed);

        for (int round = 0; round < 4 * most_leases; ++round) misfortune.strike();

        for (const JobId job : jobs) CHECK(backend.job(job).state == JobState::failed);
        CHECK(backend.group(group).state == JobState::completed);
        CHECK(backend.group(group).counters.failed == of_each);
        CHECK(backend.reader->outbox_counts("", {}).value().failed == of_each);
        CHECK(misfortune.leases().size() == 3 * of_each);
        for (const auto& [id, leases] : misfortune.leases()) CHECK(leases <= most_leases);
    }
}

TEST_CASE_TEMPLATE("what was put off too often fails with the last reason, and can be retried", Backend,
                   EVERY_STORE) {
    Backend backend(few);
    const JobId job = backend.add({.kind = "work"});
    for (int snooze = 0; snooze <= few.max_snoozes; ++snooze) {
        CHECK(backend.job(job).state == JobState::queued);
        const auto leased = backend.lease(1).at(0);
        backend.finish(leased.lease, {.end = Snooze{backend.clock.now(), "the printer is out of ink"}});
    }

    CHECK(backend.job(job).state == JobState::failed);
    CHECK(backend.job(job).last_error == "the printer is out of ink");
    CHECK(backend.store->retry(JobFilter{.ids = {job}}).value() == 1);
    for (int snooze = 0; snooze < few.max_snoozes; ++snooze)
        backend.finish(backend.lease(1).at(0).lease, {.end = Snooze{backend.clock.now()}});
    CHECK(backend.job(job).state == JobState::queued);
}

TEST_CASE_TEMPLATE("a change that is hastened each time that it was put off ends all the same", Backend,
                   EVERY_STORE) {
    Backend backend(few);
    PageBatch pages;
    pages.pages.push_back(some_page(1));
    REQUIRE(backend.store->write_pages(std::move(pages)));
    for (int snooze = 0; snooze <= few.change_snoozes; ++snooze) {
        const auto leased = backend.lease_for({.changes = 1}).changes;
        REQUIRE(leased.size() == 1);
        CHECK(leased[0].snoozes == snooze);
        const Timestamp later = backend.clock.now() + std::chrono::minutes(1);
        backend.finish(leased[0].lease, {.end = Snooze{later, "no answer"}});
        CHECK(backend.store->hasten({.collection = "default"}).value() ==
              (snooze < few.change_snoozes ? 1 : 0));
    }

    CHECK(backend.reader->outbox_counts("", {}).value().failed == 1);
}

TEST_CASE_TEMPLATE("an attempt that ended in an error ends a row of snoozes", Backend, EVERY_STORE) {
    Backend backend(few);
    const GroupId group =
        backend.store->add_group({}, {}, {{.url = "https://b.example/", .key = {2, 1}, .host = "b.example"}})
            .value();
    for (int attempt = 1; attempt <= 2; ++attempt) {
        for (int snooze = 0; snooze < few.max_snoozes; ++snooze)
            backend.finish(backend.lease_urls(1).at(0).lease, {.end = Snooze{backend.clock.now()}});
        backend.finish(backend.lease_urls(1).at(0).lease, {.end = Retry{"no answer"}});
    }

    CHECK(backend.group(group).counters.queued == 1);
    CHECK(backend.lease_urls(1).at(0).attempt == 3);
}

TEST_CASE_TEMPLATE("a page that has not changed, though none is stored, costs attempts", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend(few);
    const GroupId group =
        backend.store->add_group({}, {}, {{.url = "https://b.example/", .key = {2, 1}, .host = "b.example"}})
            .value();
    for (int attempt = 1; attempt <= few.url_attempts; ++attempt) {
        const auto leased = backend.lease_urls(1);
        REQUIRE(leased.size() == 1);
        CHECK(leased[0].attempt == attempt);
        PageWrite unchanged{.key = {2, 1}, .facts = {.url = "https://b.example/", .status = 304}};
        backend.finish(leased[0].lease, {.end = Completed{}, .status = 304, .pages = {unchanged}});
    }

    CHECK(backend.group(group).counters.failed == 1);
    CHECK(backend.group(group).state == JobState::completed);
}

}  // namespace quarry::store::promises
