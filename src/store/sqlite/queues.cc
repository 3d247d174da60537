#include "store/sqlite/ready_queue.h"

namespace quarry::store {

namespace {

// One claim in so many takes the oldest job whatever its priority.
constexpr unsigned oldest_every = 16;

}  // namespace

void ReadyQueue::give_turns(Level& level, OwnerLine& owner, GroupLine& group) {
    if (!group.has_turns && !held_groups_.contains(group.group)) {
        group.has_turns = true;
        owner.turns.push_back(&group);
    }
    if (!owner.has_turns && !closed_owners_.contains(owner.owner)) {
        owner.has_turns = true;
        level.turns.push_back(&owner);
    }
}

void ReadyQueue::push(const ReadyPlace& place, std::int64_t id) {
    Level& level = kinds_[place.kind].levels[place.priority];
    OwnerLine& owner = level.owners[place.owner];
    owner.owner = place.owner;
    GroupLine& group = owner.groups[place.group];
    group.group = place.group;
    group.ids.push(id);
    give_turns(level, owner, group);
}

std::optional<ReadyQueue::Taken> ReadyQueue::pop(int kind) {
    const auto found = kinds_.find(kind);
    if (found == kinds_.end()) return std::nullopt;
    Kind& lines = found->second;
    if (++lines.claims % oldest_every == 0) return pop_oldest(lines);
    for (auto level = lines.levels.begin(); level != lines.levels.end();) {
        if (const auto id = pop(level->second)) return Taken{*id, level->first};
        level = level->second.owners.empty() ? lines.levels.erase(level) : std::next(level);
    }
    return std::nullopt;
}

std::optional<std::int64_t> ReadyQueue::pop(Level& level) {
    while (!level.turns.empty()) {
        OwnerLine& owner = *level.turns.front();
        level.turns.pop_front();
        owner.has_turns = false;
        if (closed_owners_.contains(owner.owner)) continue;
        const auto id = pop(owner);
        if (!owner.turns.empty()) {
            owner.has_turns = true;
            level.turns.push_back(&owner);
        } else if (owner.groups.empty()) {
            level.owners.erase(owner.owner);
        }
        if (id) return id;
    }
    return std::nullopt;
}

std::optional<std::int64_t> ReadyQueue::pop(OwnerLine& line) {
    while (!line.turns.empty()) {
        GroupLine& group = *line.turns.front();
        line.turns.pop_front();
        group.has_turns = false;
        if (group.ids.empty()) {
            line.groups.erase(group.group);
            continue;
        }
        if (held_groups_.contains(group.group)) continue;
        const std::int64_t id = group.ids.front();
        group.ids.pop();
        if (group.ids.empty()) {
            line.groups.erase(group.group);
        } else {
            group.has_turns = true;
            line.turns.push_back(&group);
        }
        return id;
    }
    return std::nullopt;
}

ReadyQueue::GroupLine* ReadyQueue::oldest_line(Level& level) {
    GroupLine* oldest = nullptr;
    for (const OwnerLine* owner : level.turns) {
        if (closed_owners_.contains(owner->owner)) continue;
        for (GroupLine* group : owner->turns) {
            if (group->ids.empty() || held_groups_.contains(group->group)) continue;
            if (!oldest || group->ids.front() < oldest->ids.front()) oldest = group;
        }
    }
    return oldest;
}

std::optional<ReadyQueue::Taken> ReadyQueue::pop_oldest(Kind& kind) {
    GroupLine* oldest = nullptr;
    int priority = 0;
    for (auto& [level_priority, level] : kind.levels) {
        GroupLine* line = oldest_line(level);
        if (!line || (oldest && oldest->ids.front() < line->ids.front())) continue;
        oldest = line;
        priority = level_priority;
    }
    if (!oldest) return std::nullopt;
    const Taken taken{oldest->ids.front(), priority};
    oldest->ids.pop();  // a line left empty goes at its next turn
    return taken;
}

// A group's jobs may be of several owners.
template <typename Use>
void ReadyQueue::for_each_line(std::int64_t group, Use use) {
    for (auto& [kind, lines] : kinds_) {
        for (auto& [priority, level] : lines.levels) {
            for (auto& [id, owner] : level.owners) {
                const auto found = owner.groups.find(group);
                if (found != owner.groups.end()) use(level, owner, found->second);
            }
        }
    }
}

void ReadyQueue::open_owner(int owner) {
    if (closed_owners_.erase(owner) == 0) return;
    for (auto& [kind, lines] : kinds_) {
        for (auto& [priority, level] : lines.levels) {
            const auto found = level.owners.find(owner);
            if (found == level.owners.end() || found->second.has_turns) continue;
            found->second.has_turns = true;
            level.turns.push_back(&found->second);
        }
    }
}

void ReadyQueue::release_group(std::int64_t group) {
    if (held_groups_.erase(group) == 0) return;
    for_each_line(group, [&](Level& level, OwnerLine& owner_line, GroupLine& group_line) {
        give_turns(level, owner_line, group_line);
    });
}

void ReadyQueue::drop_group(std::int64_t group) {
    held_groups_.erase(group);
    for_each_line(group, [&](Level& level, OwnerLine& owner_line, GroupLine& group_line) {
        group_line.ids.clear();
        give_turns(level, owner_line, group_line);  // so that its empty line goes at its next turn
    });
}

}  // namespace quarry::store
