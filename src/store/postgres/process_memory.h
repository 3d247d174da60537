// Which handlers have begun to work. Said without waiting for the database, which learns of it a moment
// later: a job that ends before that costs nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "store/outcome.h"

namespace quarry::store::postgres {

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

}  // namespace quarry::store::postgres
