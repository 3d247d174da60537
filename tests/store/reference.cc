#include "store/reference.h"

#include <algorithm>

#include <fmt/format.h>

namespace quarry::test {

using store::Completed;
using store::Failed;
using store::Retry;
using store::Skipped;
using store::Snooze;
using store::Verdict;

std::string Reference::url_label(GroupId group, const std::string& url) {
    return fmt::format("{} {}", number(group), url);
}

Reference::Item* Reference::find(std::int64_t id) {
    for (auto& [label, item] : items_) {
        if (item.id == id) return &item;
    }
    return nullptr;
}

Reference::Item* Reference::holder_of(const std::string& unique_key) {
    if (unique_key.empty()) return nullptr;
    for (auto& [label, item] : items_) {
        if (item.is_open() && item.unique_key == unique_key) return &item;
    }
    return nullptr;
}

const Reference::Item* Reference::holder_of(const std::string& unique_key) const {
    return const_cast<Reference*>(this)->holder_of(unique_key);
}

std::int64_t Reference::count(const std::function<bool(const Item&)>& matches) const {
    return std::ranges::count_if(items_, [&](const auto& entry) { return matches(entry.second); });
}

ErrorCode Reference::add_code(const std::vector<NewJob>& jobs) const {
    for (const NewJob& job : jobs) {
        if (job.group && !crawls_.contains(*job.group)) return ErrorCode::not_found;
    }
    return ErrorCode::conflict;
}

bool Reference::add_is_refused(const std::vector<NewJob>& jobs) const {
    std::map<std::string, std::int64_t> added;
    for (const NewJob& job : jobs) {
        if (job.group && (!crawls_.contains(*job.group) || is_over(*job.group))) return true;
        const std::string& owner = job.group ? crawls_.at(*job.group).what.owner : job.owner;
        if (!holder_of(job.unique_key)) ++added[owner];
    }
    return std::ranges::any_of(added, [&](const auto& entry) {
        const auto open = count(
            [&](const Item& item) { return !item.is_url && item.is_open() && item.owner == entry.first; });
        return open + entry.second > limits_.max_open_jobs_per_owner;
    });
}

void Reference::insert(const NewJob& job, std::int64_t id) {
    if (holder_of(job.unique_key)) return;
    items_[job.payload] = {.id = id,
                           .kind = job.kind,
                           .owner = job.group ? crawls_.at(*job.group).what.owner : job.owner,
                           .unique_key = job.unique_key,
                           .group = job.group,
                           .priority = job.priority,
                           .max_attempts = job.max_attempts,
                           .run_at = job.run_at,
                           .start_by = job.start_by,
                           .deadline = job.deadline};
}

bool Reference::add(const NewJob& job, JobId id) {
    const bool existed = holder_of(job.unique_key) != nullptr;
    insert(job, number(id));
    settle();
    return existed;
}

void Reference::admit(GroupId group, const std::vector<FoundUrl>& urls) {
    Crawl& crawl = crawls_.at(group);
    for (const FoundUrl& url : urls) {
        const std::string label = url_label(group, url.url);
        if (crawl.known.contains(label)) continue;
        if (std::ssize(crawl.known) >= crawl.what.url_limit) {
            ++crawl.not_admitted;
            continue;
        }
        crawl.known.insert(label);
        items_[label] = {.kind = "fetch_page",
                         .owner = crawl.what.owner,
                         .host = url.host,
                         .group = group,
                         .is_url = true,
                         .max_attempts = limits_.url_attempts};
    }
}

void Reference::add_group(GroupId id, const NewGroup& group, const std::vector<NewJob>& jobs,
                          const std::vector<FoundUrl>& seeds) {
    crawls_[id] = {
        .what = group, .priority = group.priority, .has_closing_jobs = !group.closing_jobs.empty()};
    for (NewJob job : jobs) {
        job.group = id;
        insert(job, 0);
    }
    admit(id, seeds);
    settle();
}

void Reference::end(Item& item, JobState state) {
    item.state = state;
    item.lease.reset();
}

void Reference::again(Item& item, Timestamp when) {
    item.run_at = when;
    item.lease.reset();
}

void Reference::revoke(Item& item) {
    if (!item.lease) return;
    workers_.at(item.lease->worker).lost.insert(JobId{item.id});
    item.lease.reset();
}

void Reference::take_back(Item& item, bool worker_died) {
    const bool stalled = worker_died && item.lease->has_begun;
    item.lease.reset();
    if (drop_outdated(item)) return;
    int& returns = stalled ? item.stalls : item.snoozes;
    if (++returns > (stalled ? limits_.max_stalls : limits_.max_snoozes)) end(item, JobState::failed);
}

void Reference::bury() {
    for (auto& [id, worker] : workers_) {
        if (worker.is_dead || now - worker.beat_at <= limits_.lease_duration) continue;
        worker.is_dead = true;
        for (auto at = items_.begin(); at != items_.end();) {
            Item& item = (at++)->second;  // it may be dropped
            if (!item.lease || item.lease->worker != id) continue;
            worker.lost.insert(JobId{item.id});
            take_back(item, true);
        }
    }
}

void Reference::do_what_is_due(WorkerId asking) {
    workers_.at(asking).beat_at = now;
    workers_.at(asking).is_dead = false;
    bury();
    for (auto& [label, item] : items_) {
        if (!item.is_open()) continue;
        const bool never_began = !item.lease && item.attempts == 0 && item.stalls == 0;
        if (item.start_by && *item.start_by <= now && never_began) end(item, JobState::failed);
        if (item.deadline && *item.deadline <= now && item.is_open()) {
            revoke(item);
            end(item, JobState::failed);
        }
    }
    settle();
}

std::set<JobId> Reference::beat(WorkerId id) {
    bury();
    settle();
    Worker& worker = workers_.at(id);
    worker.beat_at = now;
    worker.is_dead = false;
    return std::exchange(worker.lost, {});
}

void Reference::begin(const store::LeaseRef& lease) {
    Item* item = find(number(lease.id));
    if (item && item->lease && item->lease->token == lease.token) item->lease->has_begun = true;
}

Verdict Reference::finish(const store::LeaseRef& lease, const store::Outcome& outcome) {
    Item* item = find(number(lease.id));
    if (!item || !item->lease || item->lease->token != lease.token) {
        return item && item->ended_by == lease.token ? Verdict::already_applied : Verdict::conflict;
    }
    item->lease.reset();
    if (item->group) admit(*item->group, outcome.found);
    for (const NewJob& job : outcome.jobs) {
        if (!job.group || !is_over(*job.group)) insert(job, 0);
    }
    if (!std::holds_alternative<Completed>(outcome.end) && !std::holds_alternative<Skipped>(outcome.end) &&
        drop_outdated(*item)) {
        settle();
        return Verdict::applied;
    }
    item->status = outcome.status != 0 && item->is_url ? outcome.status : item->status;
    if (std::holds_alternative<Completed>(outcome.end) || std::holds_alternative<Skipped>(outcome.end)) {
        item->is_skipped = std::holds_alternative<Skipped>(outcome.end);
        end(*item, JobState::completed);
    } else if (const auto* snooze = std::get_if<Snooze>(&outcome.end)) {
        ++item->snoozes;
        again(*item, snooze->until);
    } else {
        ++item->attempts;
        item->snoozes = 0;
        const auto* retry = std::get_if<Retry>(&outcome.end);
        if (retry && item->attempts < item->max_attempts) {
            again(*item, retry->not_before);
        } else {
            end(*item, JobState::failed);
        }
    }
    if (!item->is_open()) item->ended_by = lease.token;
    settle();
    return Verdict::applied;
}

void Reference::release(const store::LeaseRef& lease) {
    Item* item = find(number(lease.id));
    if (item && item->lease && item->lease->token == lease.token) take_back(*item, false);
}

bool Reference::stop(GroupId id, JobState state) {
    if (!crawls_.contains(id) || is_over(id)) return false;
    for (auto& [label, item] : items_) {
        if (item.group != id || !item.is_open()) continue;
        revoke(item);
        if (!item.is_url) end(item, JobState::cancelled);
    }
    crawls_.at(id).state = state;
    settle();
    return true;
}

bool Reference::cancel(GroupId id) {
    return stop(id, JobState::cancelled);
}

bool Reference::fail_group(GroupId id) {
    return stop(id, JobState::failed);
}

bool Reference::pause(GroupId id) {
    if (!crawls_.contains(id) || is_over(id)) return false;
    crawls_.at(id).state = JobState::paused;
    settle();
    return true;
}

bool Reference::resume(GroupId id) {
    if (!crawls_.contains(id) || is_over(id)) return false;
    if (crawls_.at(id).state == JobState::paused) crawls_.at(id).state = JobState::queued;
    settle();
    return true;
}

bool Reference::reprioritise(GroupId id, int priority) {
    if (!crawls_.contains(id) || is_over(id)) return false;
    crawls_.at(id).priority = priority;
    settle();
    return true;
}

void Reference::reopen(GroupId id) {
    Crawl& crawl = crawls_.at(id);
    if (crawl.is_over()) crawl.state = JobState::queued;
}

std::int64_t Reference::change(Change change, const std::vector<JobId>& jobs) {
    std::int64_t changed = 0;
    for (const JobId id : jobs) {
        Item* item = find(number(id));
        if (!item) continue;
        const bool has_ended_badly = item->state == JobState::failed || item->state == JobState::cancelled;
        if (change == Change::cancel && item->is_open()) {
            revoke(*item);
            end(*item, JobState::cancelled);
        } else if (change == Change::pause && item->state == JobState::queued && !item->lease) {
            item->state = JobState::paused;
        } else if (change == Change::resume && item->state == JobState::paused && !item->lease) {
            item->state = JobState::queued;
        } else if (change == Change::retry && has_ended_badly) {
            if (item->group) reopen(*item->group);
            if (holder_of(item->unique_key) || drop_outdated(*item)) continue;
            item->state = JobState::queued;
            item->attempts = item->stalls = item->snoozes = 0;
            item->run_at = item->start_by = item->deadline = std::nullopt;
            item->ended_by.reset();
        } else if (change == Change::clear && !item->lease) {
            std::erase_if(items_, [&](const auto& entry) { return entry.second.id == number(id); });
        } else {
            continue;
        }
        ++changed;
    }
    settle();
    return changed;
}

std::int64_t Reference::change_urls(Change change, GroupId id) {
    std::int64_t changed = 0;
    const JobState group_state = crawls_.at(id).state;
    for (auto& [label, item] : items_) {
        if (item.group != id || !item.is_url) continue;
        const bool left_over = item.state == JobState::queued && group_state == JobState::cancelled;
        const bool can_be_cancelled = item.state == JobState::queued && !is_over(id);
        if (change == Change::cancel && can_be_cancelled) {
            revoke(item);
            end(item, JobState::cancelled);
        } else if (change == Change::retry &&
                   (left_over || item.state == JobState::failed || item.state == JobState::cancelled)) {
            reopen(id);
            if (!left_over) {
                item.state = JobState::queued;
                item.attempts = item.stalls = 0;
                item.run_at.reset();
                item.ended_by.reset();
            }
        } else {
            continue;
        }
        ++changed;
    }
    settle();
    return changed;
}

void Reference::restart() {
    for (auto at = items_.begin(); at != items_.end();) {
        Item& item = (at++)->second;
        if (item.lease) take_back(item, true);
    }
    workers_.clear();
    settle();
}

bool Reference::has_enough(GroupId id, const Crawl& crawl) const {
    const auto taken = count([&](const Item& item) {
        return item.group == id && item.is_url &&
               (item.lease || (item.state == JobState::completed && !item.is_skipped));
    });
    return taken >= crawl.what.page_limit;
}

bool Reference::has_work_left(GroupId id, const Crawl& crawl) const {
    const auto jobs =
        count([&](const Item& item) { return item.group == id && !item.is_url && item.is_open(); });
    const auto running =
        count([&](const Item& item) { return item.group == id && item.is_url && item.lease; });
    const auto queued = count([&](const Item& item) {
        return item.group == id && item.is_url && item.state == JobState::queued && !item.lease;
    });
    return jobs > 0 || running > 0 || (queued > 0 && !has_enough(id, crawl));
}

void Reference::start_waiting() {
    std::vector<std::pair<int, GroupId>> waiting;
    for (const auto& [id, crawl] : crawls_) {
        if (crawl.state == JobState::queued) waiting.emplace_back(crawl.priority, id);
    }
    std::ranges::sort(waiting);
    std::set<std::string> owners_in_wait;
    for (const auto& [priority, id] : waiting) {
        Crawl& crawl = crawls_.at(id);
        int running = 0, alone = 0;
        for (const auto& [other_id, other] : crawls_) {
            if (other.state != JobState::running || other.what.owner != crawl.what.owner) continue;
            ++running;
            alone += other.what.concurrency == Concurrency::exclusive ? 1 : 0;
        }
        const int room =
            crawl.what.concurrency == Concurrency::exclusive ? 1 : limits_.running_groups_per_owner;
        if (owners_in_wait.contains(crawl.what.owner)) continue;
        if (alone == 0 && running < room) {
            crawl.state = JobState::running;
        } else {
            owners_in_wait.insert(crawl.what.owner);
        }
    }
}

// What follows by itself: groups that have nothing left to do end, and make room for those that wait.
void Reference::settle() {
    for (bool changed = true; changed;) {
        changed = false;
        start_waiting();
        for (auto& [id, crawl] : crawls_) {
            if (crawl.state != JobState::running || has_work_left(id, crawl)) continue;
            changed = true;
            if (std::exchange(crawl.has_closing_jobs, false)) {
                for (NewJob job : crawl.what.closing_jobs) {
                    job.group = id;
                    insert(job, 0);
                }
            } else {
                crawl.state = JobState::completed;
            }
        }
    }
}

}  // namespace quarry::test
