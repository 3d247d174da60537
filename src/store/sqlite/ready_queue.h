// In which order jobs run: by priority; within one, owners take turns; within an owner, its groups take
// turns; within a group, the oldest first. And now and then the oldest of all, so that a low priority is
// delayed but never starved.
//
// Pure memory: ids only, rebuilt at start. An id may be stale (its job was cancelled, paused, moved to
// another priority): whoever takes one looks at the job's row before believing it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "store/sqlite/id_fifo.h"

namespace quarry::store {

struct ReadyPlace {
    int kind = 0;
    int priority = 0;
    int owner = 0;
    std::int64_t group = 0;  // 0 for none
};

class ReadyQueue {
public:
    void push(const ReadyPlace& place, std::int64_t id);

    struct Taken {
        std::int64_t id = 0;
        int priority = 0;  // of the line it stood in
    };
    // The next job of this kind; nothing if none may run.
    std::optional<Taken> pop(int kind);

    // Jobs of a closed owner (at its limit) and of a held group (paused, or waiting itself) stay in their
    // lines and are passed over.
    void close_owner(int owner) { closed_owners_.insert(owner); }
    void open_owner(int owner);
    void hold_group(std::int64_t group) { held_groups_.insert(group); }
    void release_group(std::int64_t group);
    // Forgets the group and its ids.
    void drop_group(std::int64_t group);

private:
    struct GroupLine {
        std::int64_t group = 0;
        bool has_turns = false;
        IdFifo ids{};
    };
    struct OwnerLine {
        int owner = 0;
        bool has_turns = false;
        std::deque<GroupLine*> turns{};
        std::unordered_map<std::int64_t, GroupLine> groups{};
    };
    struct Level {
        std::deque<OwnerLine*> turns{};
        std::unordered_map<int, OwnerLine> owners{};
    };
    struct Kind {
        unsigned claims = 0;
        std::map<int, Level> levels{};
    };

    std::optional<std::int64_t> pop(Level& level);
    std::optional<std::int64_t> pop(OwnerLine& line);
    std::optional<Taken> pop_oldest(Kind& kind);
    GroupLine* oldest_line(Level& level);
    void give_turns(Level& level, OwnerLine& owner, GroupLine& group);
    template <typename Use>
    void for_each_line(std::int64_t group, Use use);

    std::unordered_map<int, Kind> kinds_;
    std::unordered_set<int> closed_owners_;
    std::unordered_set<std::int64_t> held_groups_;
};

}  // namespace quarry::store
