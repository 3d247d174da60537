// Work as real programs give it to a store, at random but the same for the same seed: jobs and crawls are
// added, leased and finished in every way there is. Every promise that the store makes on the way is written
// down, to be held against what is left after whatever the test does to it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "db/sqlite.h"
#include "store/store.h"

namespace quarry::test {

// What the store has promised to remember.
struct Promise {
    enum class What : std::uint8_t {
        job_added,
        job_ended,
        group_added,
        url_ended,   // in any way
        page_saved,  // with its URL
        group_cancelled,
        page_written,    // by an import, into the collection `kept`
        change_ended,    // of the outbox: it does not wait again
        page_forgotten,  // of the collection `lost`, into which nothing is written twice
    } what{};
    std::int64_t id = 0;
};

// Promises that are not kept, in sentences.
std::vector<std::string> broken_promises(db::Connection& connection, const std::vector<Promise>& promises);

class Workload {
public:
    // `keep` is called as soon as the store has promised something.
    Workload(store::Store& store, std::uint64_t seed, std::function<void(const Promise&)> keep);

    // One random step. Fails with the store's error; a refusal by rule is none.
    Result<void> step();

private:
    Result<void> add_jobs();
    Result<void> add_group();
    Result<void> lease();
    Result<void> finish();
    Result<void> stop_a_group();
    Result<void> write_pages();
    Result<void> forget_pages();
    Result<void> beat();

    struct Held {
        store::LeaseRef lease{};
        bool is_url = false;
        bool is_change = false;
        GroupId group{};
        UrlKey key{};
        std::string url{};
    };
    store::Outcome outcome_of(const Held& held);
    PageWrite page_of(const Held& held);
    FoundUrl some_url();
    void keep_what(const Held& held, const store::Outcome& outcome);
    std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

    store::Store& store_;
    std::mt19937_64 random_;
    std::function<void(const Promise&)> keep_;
    std::optional<WorkerId> worker_;
    std::vector<Held> held_;
    std::vector<GroupId> groups_;
    std::vector<std::uint64_t> to_forget_;  // written into `lost`
};

}  // namespace quarry::test
