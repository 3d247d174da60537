// Which leases the reference allows, and how many a store owes.
#include <algorithm>

#include <fmt/format.h>

#include "store/reference.h"

namespace quarry::test {

bool Reference::is_leasable(const Item& item, WorkerId worker) const {
    if (item.state != JobState::queued || item.lease || (item.run_at && *item.run_at > now)) return false;
    if (item.is_change()) {
        return std::ranges::none_of(
            items_, [&](const auto& entry) { return entry.second.lease && entry.second.page == item.page; });
    }
    const auto running = count([&](const Item& other) {
        return other.is_url == item.is_url && other.lease && other.owner == item.owner;
    });
    if (running >= limits_.running_jobs_per_owner) return false;
    if (item.group && crawls_.at(*item.group).state != JobState::running) return false;
    if (!item.is_url) return true;
    const bool host_is_taken = std::ranges::any_of(items_, [&](const auto& entry) {
        return entry.second.host == item.host && entry.second.lease && entry.second.lease->worker != worker;
    });
    return !host_is_taken && !has_enough(*item.group, crawls_.at(*item.group));
}

std::string Reference::take_one(Item* item, WorkerId worker, const store::LeaseRef& lease, int attempt) {
    if (!item) return "a lease on what is not there";
    if (!is_leasable(*item, worker)) return "a lease that is not allowed";
    if (attempt != item->attempts + 1) return "a lease with a wrong attempt";
    if (item->id != 0 && item->id != number(lease.id)) return "an id that has changed";
    if (!tokens_.insert(lease.token).second) return "a token that was used before";
    item->id = number(lease.id);
    item->lease = Lease{.worker = worker, .token = lease.token};
    return "";
}

// Of what its owner may still have under way, before anything was taken.
std::map<std::string, std::int64_t> Reference::url_shares() const {
    std::map<std::string, std::int64_t> running, shares;
    for (const auto& [label, item] : items_) running[item.owner] += item.is_url && item.lease ? 1 : 0;
    const std::int64_t takers = room_ == Room::shared ? std::ssize(workers_) : 1;
    for (const auto& [owner, count] : running)
        shares[owner] = (limits_.running_jobs_per_owner - count + takers - 1) / takers;
    return shares;
}

std::string Reference::take(const store::Demand& demand, const store::Leased& leased) {
    std::map<std::string, std::int64_t> left = url_shares();
    for (const store::JobLease& job : leased.jobs) {
        const auto found = items_.find(job.payload);
        Item* item = found == items_.end() ? nullptr : &found->second;
        if (const auto wrong = take_one(item, demand.worker, job.lease, job.attempt); !wrong.empty()) {
            return fmt::format("{}: job {}", wrong, job.payload);
        }
    }
    for (const store::UrlLease& url : leased.urls) {
        const auto found = items_.find(url_label(url.group, url.url));
        Item* item = found == items_.end() ? nullptr : &found->second;
        if (const auto wrong = take_one(item, demand.worker, url.lease, url.attempt); !wrong.empty()) {
            return fmt::format("{}: {}", wrong, url.url);
        }
        --left[item->owner];
    }
    if (auto wrong = take_changes(demand, leased); !wrong.empty()) return wrong;
    for (const store::Demand::Kind& kind : demand.kinds) {
        const auto got = std::ranges::count(leased.jobs, kind.kind, &store::JobLease::kind);
        if (got > kind.slots) return "more leases than asked for";
        for (const auto& [label, item] : items_) {
            if (got < kind.slots && item.kind == kind.kind && is_leasable(item, demand.worker)) {
                return fmt::format("job {} could have been leased", label);
            }
        }
    }
    for (const auto& [label, item] : items_) {
        const bool is_wanted = std::ssize(leased.urls) < demand.urls && item.is_url && left[item.owner] > 0;
        if (is_wanted && is_leasable(item, demand.worker)) {
            return fmt::format("URL {} could have been leased", label);
        }
    }
    return "";
}

}  // namespace quarry::test
