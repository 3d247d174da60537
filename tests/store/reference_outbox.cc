// The outbox as it should be: which changes wait, which one is next, and when one is no longer wanted.
#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "store/reference.h"

namespace quarry::test {

void Reference::add_change(const std::string& page, Item change) {
    Page& changed = pages_.at(page);
    // What still waits, or has ended, makes way; what is leased does not.
    if (const auto former = items_.find(changed.latest); former != items_.end() && !former->second.lease) {
        items_.erase(former);
    }
    changed.latest = fmt::format("change-{:05}", ++changes_);
    change.kind = "embed_page";
    change.page = page;
    change.collection = changed.collection;
    change.version = changed.version;
    change.max_attempts = limits_.change_attempts;
    items_[changed.latest] = std::move(change);
}

void Reference::write_page(const std::string& collection, std::uint64_t key, int words, int priority) {
    const auto known = std::ranges::find_if(pages_, [&](const auto& entry) {
        return entry.second.collection == collection && entry.second.key == key;
    });
    std::string label = known == pages_.end() ? fmt::format("page-{}", changes_ + 1) : known->first;
    if (known == pages_.end()) {
        pages_[label] = {.collection = collection, .key = key, .words = words};
    } else if (known->second.words == words) {
        return;
    } else {
        known->second.words = words;
        ++known->second.version;
    }
    add_change(label, {.priority = embedding_priority(priority)});
}

std::int64_t Reference::forget_page(std::uint64_t key) {
    std::map<std::string, std::string> by_collection;  // the order in which they are found
    for (const auto& [label, page] : pages_) {
        if (page.key == key) by_collection[page.collection] = label;
    }
    for (const auto& [collection, label] : by_collection) {
        ++pages_.at(label).version;
        add_change(label, {.is_removal = true, .priority = priority_normal});
        pages_.erase(label);
    }
    return std::ssize(by_collection);
}

std::int64_t Reference::index_again() {
    std::int64_t added = 0;
    // In the order in which the pages came, which is that of their ids.
    std::map<int, std::string> in_order;
    for (const auto& [label, page] : pages_) in_order[std::stoi(label.substr(5))] = label;
    for (const auto& [number, label] : in_order) {
        const auto latest = items_.find(pages_.at(label).latest);
        const bool waits = latest != items_.end() && latest->second.is_open() && !latest->second.lease;
        if (waits) continue;
        ++pages_.at(label).version;
        add_change(label, {.priority = priority_normal});
        ++added;
    }
    return added;
}

std::string Reference::learn_ids(const std::vector<Job>& changes) {
    std::vector<std::int64_t> unknown;
    for (const Job& job : changes) {
        if (!find(number(job.id))) unknown.push_back(number(job.id));
    }
    std::size_t next = 0;
    for (auto& [label, item] : items_) {  // labels sort as they were made
        if (!item.is_change() || item.id != 0) continue;
        if (next == unknown.size()) return fmt::format("{} is not there", label);
        item.id = unknown[next++];
    }
    return next == unknown.size() ? "" : "a change too many";
}

bool Reference::is_outdated(const std::string& label, const Item& item) const {
    if (item.is_removal) return false;
    const auto page = pages_.find(item.page);
    return page == pages_.end() || page->second.latest != label;
}

// A newer change of the page does what this one could not do.
bool Reference::drop_outdated(Item& item) {
    if (!item.is_change()) return false;
    const auto own = std::ranges::find_if(items_, [&](const auto& entry) { return &entry.second == &item; });
    if (!is_outdated(own->first, item)) return false;
    items_.erase(own);
    return true;
}

Reference::Item* Reference::next_change(const std::string& collection) {
    Item* next = nullptr;
    for (auto& [label, item] : items_) {
        const bool is_asked_for = collection.empty() || item.collection == collection;
        if (!item.is_change() || !is_asked_for || !is_leasable(item, WorkerId{})) continue;
        if (!next || std::tuple(item.priority, item.id) < std::tuple(next->priority, next->id)) next = &item;
    }
    return next;
}

std::string Reference::take_changes(const store::Demand& demand, const store::Leased& leased) {
    if (std::ssize(leased.changes) > demand.changes) return "more changes than asked for";
    for (const store::ChangeLease& change : leased.changes) {
        Item* next = next_change(demand.change_collection);
        if (!next || next->id != number(change.lease.id)) {
            return fmt::format("change {} is not next, but {}", number(change.lease.id), next ? next->id : 0);
        }
        if (change.version != next->version || change.content.has_value() == next->is_removal ||
            change.snoozes != next->snoozes || change.priority != next->priority) {
            return fmt::format("change {} is not as it should be", next->id);
        }
        if (auto wrong = take_one(next, demand.worker, change.lease, change.attempt); !wrong.empty()) {
            return wrong;
        }
    }
    const bool has_more =
        std::ssize(leased.changes) < demand.changes && next_change(demand.change_collection);
    return has_more ? "a change could have been leased" : "";
}

std::string Reference::difference_of_changes(store::Reader& reader) const {
    std::map<std::int64_t, Job> stored;
    const auto jobs = reader.jobs({.filter = {.kind = "embed_page"}, .limit = 10'000}).value();
    for (const Job& job : jobs) stored[number(job.id)] = job;
    store::OutboxCounts expected;
    std::size_t changes = 0;
    for (const auto& [label, item] : items_) {
        if (!item.is_change()) continue;
        ++changes;
        const auto found = stored.find(item.id);
        if (found == stored.end()) return fmt::format("{} ({}) is lost", label, item.id);
        const Job& job = found->second;
        const JobState state = item.lease ? JobState::running : item.state;
        if (job.state != state || job.attempts != item.attempts || job.stalls != item.stalls) {
            return fmt::format("change {} is {} ({}, {}), should be {} ({}, {})", item.id, name_of(job.state),
                               job.attempts, job.stalls, name_of(state), item.attempts, item.stalls);
        }
        expected.pending += state == JobState::queued ? 1 : 0;
        expected.processing += state == JobState::running ? 1 : 0;
        expected.completed += state == JobState::completed ? 1 : 0;
        expected.failed += state == JobState::failed ? 1 : 0;
    }
    if (stored.size() != changes) return fmt::format("{} changes instead of {}", stored.size(), changes);
    const store::OutboxCounts counts = reader.outbox_counts("", {}).value();
    const bool is_counted = counts.pending == expected.pending && counts.processing == expected.processing &&
                            counts.completed == expected.completed && counts.failed == expected.failed;
    return is_counted ? "" : "changes are counted wrong";
}

}  // namespace quarry::test
