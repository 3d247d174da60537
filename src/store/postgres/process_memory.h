// What a process keeps in memory so that it need not ask the database each time: which handlers have begun
// to work, and whether owners are so far from their limits that adding jobs or claiming them is allowed
// without counting. Counts of open and running jobs are sums over rows that everybody writes; when an old
// transaction is open somewhere, summing them up at every claim would make claims slower and slower.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "store/outcome.h"

namespace quarry::store::postgres {

// Which handlers have begun to work. Said without waiting for the database, which learns of it a moment
// later: a job that ends before that costs nothing.

class Begun {
public:
    void add(const LeaseRef& lease) {
        leases_.with([&](auto& leases) { leases[number(lease.token)] = {.id = lease.id}; });
    }
    bool contains(std::int64_t token) const {
        return leases_.with([&](const auto& leases) { return leases.contains(token); });
    }
    void forget(const std::vector<std::int64_t>& tokens) {
        leases_.with([&](auto& leases) {
            for (const std::int64_t token : tokens) leases.erase(token);
        });
    }
    // Those that nobody has written down, and that began so long ago.
    std::vector<LeaseRef> unsaved(std::chrono::milliseconds age) const {
        const auto latest = std::chrono::steady_clock::now() - age;
        return leases_.with([&](const auto& leases) {
            std::vector<LeaseRef> unsaved;
            for (const auto& [token, entry] : leases) {
                if (!entry.is_saved && entry.at <= latest) unsaved.push_back({entry.id, Token(token)});
            }
            return unsaved;
        });
    }
    void set_saved(const std::vector<LeaseRef>& saved) {
        leases_.with([&](auto& leases) {
            for (const LeaseRef& lease : saved) {
                const auto found = leases.find(number(lease.token));
                if (found != leases.end()) found->second.is_saved = true;
            }
        });
    }

private:
    struct Entry {
        JobId id{};
        std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now();
        bool is_saved = false;
    };
    Guarded<std::unordered_map<std::int64_t, Entry>> leases_;
};

// Whether owners may add so many more jobs that adding some need not ask. How many jobs are open is a sum
// over rows that everybody writes (OwnerRoom).

class OpenRoom {
public:
    using Time = std::chrono::steady_clock::time_point;

    // True if each of these owners may add as many many times over.
    bool is_ample(std::span<const std::int64_t> owners, std::int64_t jobs,
                  Time now = std::chrono::steady_clock::now()) const {
        return known_.with([&](const auto& known) {
            return std::ranges::all_of(owners, [&](std::int64_t owner) {
                const auto found = known.find(owner);
                return found != known.end() && now < found->second.read_at + lives &&
                       found->second.room > jobs * adds_meanwhile;
            });
        });
    }
    void set(std::int64_t owner, std::int64_t room, Time now = std::chrono::steady_clock::now()) {
        known_.with([&](auto& known) {
            if (known.size() >= most_owners) known.clear();
            known[owner] = {.room = room, .read_at = now};
        });
    }

private:
    static constexpr std::chrono::milliseconds lives{50};
    // By 16 processes that add once a millisecond, which is as often as a disk takes it.
    static constexpr std::int64_t adds_meanwhile = 16 * 50;
    static constexpr std::size_t most_owners = 1'000;

    struct Known {
        std::int64_t room = 0;
        Time read_at{};
    };
    Guarded<std::unordered_map<std::int64_t, Known>> known_;
};

// Whether owners are so far from their limits that a claim need not ask. How many jobs an owner has running
// is a sum over rows that every claim and every end of a job writes. When an old transaction of somebody's is
// open, their former versions cannot be removed, and each sum walks over all of them: asked at every claim,
// it would make claims slower and slower.

class OwnerRoom {
public:
    using Time = std::chrono::steady_clock::time_point;

    // True if all who claim as much as this claim, many times each, would fill nobody's limit.
    bool is_ample(std::int64_t slots, Time now = std::chrono::steady_clock::now()) const {
        return known_.with([&](const Known& known) {
            return now < known.read_at + lives && known.room > known.workers * slots * claims_meanwhile;
        });
    }
    // The owner who is nearest to a limit has room for so many more; so many workers may fill it.
    void set(std::int64_t room, std::int64_t workers, Time now = std::chrono::steady_clock::now()) {
        known_.with([&](Known& known) { known = {.room = room, .workers = workers, .read_at = now}; });
    }

    // False if even an owner with nothing running would be too near: then nobody needs to look.
    static bool could_be_ample(std::int64_t limit, std::int64_t slots) {
        return limit > fewest_workers * slots * claims_meanwhile;
    }

    // Who is alone counts as two: another may come at any time.
    static constexpr std::int64_t fewest_workers = 2;

private:
    static constexpr std::chrono::milliseconds lives{50};
    // A claim takes a worker more than a millisecond.
    static constexpr std::int64_t claims_meanwhile = 50;

    struct Known {
        std::int64_t room = 0, workers = 1;
        Time read_at{};
    };
    Guarded<Known> known_;
};

}  // namespace quarry::store::postgres
