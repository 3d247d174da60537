#include "store/sqlite/queues.h"

#include <algorithm>

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

void UrlWindow::add(const UrlPlace& place) {
    if (place > end_) return;  // the table will bring it
    const bool is_last = empty() || places_.back() < place;
    if (is_last && is_complete() && places_.size() - head_ >= wanted) {
        // Enough in memory: from here on only the table knows.
        end_ = places_.back();
        return;
    }
    if (is_last) {
        places_.push_back(place);
        return;
    }
    const auto begin = places_.begin() + static_cast<std::ptrdiff_t>(head_);
    const auto where = std::lower_bound(begin, places_.end(), place);
    if (*where != place) places_.insert(where, place);
}

std::optional<UrlPlace> UrlWindow::pop() {
    if (empty()) return std::nullopt;
    const UrlPlace first = places_[head_++];
    if (empty()) {
        places_.clear();
        head_ = 0;
    } else if (head_ >= wanted) {
        places_.erase(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(head_));
        head_ = 0;
    }
    return first;
}

void UrlWindow::refill(std::span<const UrlPlace> next, std::optional<UrlPlace> new_end) {
    places_.insert(places_.end(), next.begin(), next.end());
    end_ = new_end.value_or(everything);
}

void FrontierQueue::add(std::int64_t group, std::int64_t host, const UrlPlace& place) {
    Group& urls = groups_[group];
    const auto [window, is_new] = urls.hosts.try_emplace(host);
    if (is_new) urls.turns.push_back(host);
    window->second.add(place);
}

void FrontierQueue::add_unread(std::int64_t group, std::int64_t host) {
    Group& urls = groups_[group];
    if (urls.hosts.try_emplace(host, UrlWindow::unread()).second) urls.turns.push_back(host);
}

void FrontierQueue::drop_front_host(std::int64_t group_id, Group& group) {
    group.hosts.erase(group.turns.front());
    group.turns.pop_front();
    if (group.hosts.empty()) groups_.erase(group_id);
}

Result<std::optional<FrontierQueue::Taken>> FrontierQueue::take(std::int64_t group_id,
                                                                const MayTake& may_take) {
    const auto found = groups_.find(group_id);
    if (found == groups_.end()) return std::nullopt;
    Group& group = found->second;
    for (std::size_t left = group.turns.size(); left > 0; --left) {
        const std::int64_t host = group.turns.front();
        if (may_take(host)) {
            UrlWindow& window = group.hosts.at(host);
            while (window.empty() && !window.is_complete()) TRY(refill_(group_id, host, window));
            const std::optional<UrlPlace> place = window.pop();
            if (!place) {
                drop_front_host(group_id, group);
                continue;
            }
            group.turns.pop_front();
            group.turns.push_back(host);
            return Taken{host, *place};
        }
        group.turns.pop_front();
        group.turns.push_back(host);
    }
    return std::nullopt;
}

void OutboxQueue::clear() {
    windows_.clear();
    leased_.clear();
    next_due_.reset();
}

Result<std::optional<UrlPlace>> OutboxQueue::take(const std::string& collection) {
    auto first = windows_.end();
    for (auto at = collection.empty() ? windows_.begin() : windows_.find(collection); at != windows_.end();) {
        UrlWindow& window = at->second;
        while (window.empty() && !window.is_complete()) TRY(refill_(at->first, window));
        if (window.empty()) {
            at = windows_.erase(at);
        } else {
            if (first == windows_.end() || window.front() < first->second.front()) first = at;
            ++at;
        }
        if (!collection.empty()) break;
    }
    if (first == windows_.end()) return std::nullopt;
    return first->second.pop();
}

bool OutboxQueue::unlease(PageId page, const std::string& collection) {
    const auto found = leased_.find(number(page));
    if (found == leased_.end()) return false;
    const std::optional<UrlPlace> aside = found->second;
    leased_.erase(found);
    if (aside) add(collection, *aside);
    return aside.has_value();
}

}  // namespace quarry::store
