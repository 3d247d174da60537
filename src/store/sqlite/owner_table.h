// Owners: what each may have at once, and what it has.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "db/sqlite.h"
#include "store/store.h"

namespace quarry::store {

struct Owner {
    std::string name{};
    OwnerLimits limits{};
    int running_jobs = 0;
    int running_urls = 0;
    int running_groups = 0;
    int exclusive_groups = 0;  // of the running ones, those that want no company
    std::int64_t open_jobs = 0;
    std::uint64_t last_turn = 0;  // when one of its crawls was last given URLs

    bool has_room() const { return running_jobs < limits.running_jobs; }
};

class OwnerTable {
public:
    static Result<OwnerTable> create(db::Connection& connection, const OwnerLimits& standard);

    Result<int> ensure(const std::string& name);
    // A damaged row may name an owner that is not there: then it is nobody's.
    Owner& at(int id) {
        return id >= 1 && id <= count() ? owners_[static_cast<std::size_t>(id) - 1] : nobody_;
    }
    int count() const { return static_cast<int>(owners_.size()); }
    Result<void> set_limits(int id, const OwnerLimits& limits);
    // Pages that it had fetched, added to those of the day.
    Result<void> add_usage(int id, Timestamp now, std::int64_t pages);
    // Reads names and limits; what runs is counted anew by the caller.
    Result<void> reload();

private:
    struct Statements {
        db::Statement all, insert, set_limits, add_usage;
    };
    OwnerTable(Statements statements, const OwnerLimits& standard)
        : sql_(std::move(statements)), standard_(standard) {}

    Statements sql_;
    OwnerLimits standard_;
    std::deque<Owner> owners_;  // by id, from 1 on
    Owner nobody_;
    std::unordered_map<std::string, int> ids_;
};

}  // namespace quarry::store
