// Several parts and segments becoming one segment, in steps: each is a short transaction, and nothing of it
// is seen before the last.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "index/embedded/bits.h"
#include "index/embedded/shelf.h"
#include "index/embedded/collection.h"
#include "index/embedded/view_lock.h"

namespace quarry::index {

class Rewriting {
public:
    struct Inputs {
        std::vector<std::shared_ptr<const Part>> parts{};
        std::vector<Segment> segments{};
        std::int64_t pending_before = 0;  // pages whose first chunk is below are all in these parts
    };

    // What is dead by now is left out; its slots are free when all is done.
    static Result<Rewriting> begin(db::Connection& connection, Shelf& shelf, Inputs inputs);

    // Goes on for about that much of the processor. True when it is done, and searches see the new segment.
    Result<bool> step(db::Connection& connection, ViewLock& lock, std::chrono::milliseconds time);

    std::int64_t target() const { return target_; }
    bool has(const Part* part) const;
    const Shelf& shelf() const { return *shelf_; }

private:
    Rewriting() = default;
    Result<void> sort_slots(db::Connection& connection);
    Result<bool> write_leaves(db::Connection& connection, std::chrono::milliseconds time);
    Result<void> put_to_use(db::Connection& connection);
    void change_view(ViewLock& lock);

    Shelf* shelf_ = nullptr;
    Inputs inputs_;
    std::int64_t target_ = 0;
    Bits keep_;
    std::vector<Slot> kept_, dropped_;
    std::string last_term_;
};

// The slots of these that are live, as bits.
Bits live_of(const SlotTable& slots, const std::vector<Slot>& of);

}  // namespace quarry::index
