// Which changes of the outbox a worker gets.
#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_set>

#include "store/sqlite/ledger.h"
#include "store/sqlite/writing/operations.h"

namespace quarry::store {

Result<void> lease_changes(Ledger& ledger, const Demand& demand, Leased& leased);

// Which URLs a worker gets. Crawls take turns by priority, fairly between owners; within a crawl its hosts
// take turns.

// Adds URLs and rules of hosts to `leased`. Returns when a host that was passed over may be asked again.
Result<std::optional<Timestamp>> lease_urls(Ledger& ledger, const Demand& demand, Leased& leased);

namespace {

// Lines in memory may be out of date: the row decides whether the change is really next.
bool is_leasable(const Ledger& ledger, const ChangeRow& row, const UrlPlace& place) {
    return row.state == JobState::queued && row.priority == place.priority && !row.run_at &&
           !ledger.leases.contains(row.id);
}

ChangeLease lease_of(Ledger& ledger, ChangeRow row) {
    ChangeLease lease{.lease = {JobId(row.id), ledger.next_token()},
                      .page = row.page,
                      .content = row.content,
                      .version = row.version,
                      .collection = std::move(row.collection),
                      .url = std::move(row.url),
                      .priority = row.priority,
                      .attempt = row.attempts + 1,
                      .max_attempts = ledger.limits().change_attempts,
                      .snoozes = row.snoozes};
    if (row.group != 0) lease.group = GroupId(row.group);
    return lease;
}

}  // namespace

Result<void> lease_changes(Ledger& ledger, const Demand& demand, Leased& leased) {
    OutboxQueue& queue = ledger.outbox().queue;
    while (static_cast<int>(leased.changes.size()) < demand.changes) {
        const auto place = TRY(queue.take(demand.change_collection));
        if (!place) return {};
        auto row = TRY(ledger.outbox().rows.find(place->id));
        if (!row || !is_leasable(ledger, *row, *place)) continue;
        if (queue.is_leased(row->page)) {
            queue.set_aside(row->page, *place);
            continue;
        }
        const std::int64_t group = row->group;
        ChangeLease change = lease_of(ledger, *std::move(row));
        TRY(ledger.add_lease(change.lease.id, {.token = change.lease.token,
                                               .worker = demand.worker,
                                               .group = group,
                                               .page = change.page,
                                               .collection = change.collection,
                                               .leased_at = ledger.now()}));
        leased.changes.push_back(std::move(change));
    }
    return {};
}

namespace {

// How many URLs a crawl gets in a turn: enough that choosing the next crawl costs nothing.
constexpr int urls_per_turn = 16;
// One turn in this many goes to the crawl that has waited longest, whatever its priority.
constexpr std::uint64_t longest_wait_every = 16;

class UrlClaim {
public:
    UrlClaim(Ledger& ledger, const Demand& demand, Leased& leased)
        : ledger_(ledger), demand_(demand), leased_(leased) {
        for (const HostId host : demand.saturated) saturated_.insert(number(host));
        for (const auto& [group, host] : demand.saturated_lanes)
            saturated_lanes_.emplace(number(group), number(host));
    }

    Result<void> run() {
        while (!is_full()) {
            OpenGroup* group = next_group();
            if (!group) break;
            TRY(give_turn(*group));
        }
        return {};
    }

    std::optional<Timestamp> hosts_due() const { return hosts_due_; }

private:
    bool is_full() const { return static_cast<int>(leased_.urls.size()) >= demand_.urls; }

    bool may_lease_from(const OpenGroup& group) {
        if (group.has_enough() || exhausted_.contains(group.id)) return false;
        const Owner& owner = ledger_.rows().owners.at(group.owner);
        return owner.running_urls < owner.limits.running_jobs && ledger_.frontier.has_ready(group.id);
    }

    OpenGroup* next_group() {
        const bool by_wait = (ledger_.turns + 1) % longest_wait_every == 0;
        const auto rank = [&](const OpenGroup& group) {
            return std::tuple(by_wait ? 0 : group.priority, ledger_.rows().owners.at(group.owner).last_turn,
                              group.last_turn, group.id);
        };
        OpenGroup* next = nullptr;
        for (const std::int64_t id : ledger_.running_groups()) {
            OpenGroup& group = *ledger_.group(id);
            if (may_lease_from(group) && (!next || rank(group) < rank(*next))) next = &group;
        }
        return next;
    }

    Result<void> give_turn(OpenGroup& group) {
        group.last_turn = ledger_.rows().owners.at(group.owner).last_turn = ++ledger_.turns;
        for (int count = 0; count < urls_per_turn && !is_full() && may_lease_from(group); ++count) {
            const auto taken = TRY(
                ledger_.frontier.take(group.id, [&](std::int64_t host) { return may_take(group.id, host); }));
            if (!taken) {
                exhausted_.insert(group.id);
                return {};
            }
            TRY(lease(group, taken->place.id));
        }
        return {};
    }

    bool may_take(std::int64_t group, std::int64_t host) {
        if (saturated_.contains(host) || saturated_lanes_.contains({group, host})) return false;
        if (const auto not_before = ledger_.rows().hosts.not_before(host);
            not_before && *not_before > ledger_.now()) {
            hosts_due_ = earlier(hosts_due_, not_before);
            return false;
        }
        const HostTable::Claim* claim = ledger_.rows().hosts.claim_on(host);
        return !claim || (claim->worker == demand_.worker && claim->urls < demand_.urls_per_host);
    }

    Result<void> lease(OpenGroup& group, std::int64_t id) {
        auto row = TRY(ledger_.rows().urls.find(id));
        const bool is_ready =
            row && row->state == UrlState::queued && !row->run_at && !ledger_.leases.contains(id);
        if (!is_ready) return {};
        Host host = TRY(ledger_.rows().hosts.find(row->host));
        if (ledger_.rows().hosts.add_claim(row->host, demand_.worker) && host.rule) {
            leased_.hosts.push_back(*host.rule);
        }
        const Token token = ledger_.next_token();
        TRY(ledger_.add_lease(JobId(id), {.token = token,
                                          .worker = demand_.worker,
                                          .owner = group.owner,
                                          .group = group.id,
                                          .host = row->host,
                                          .priority = row->priority,
                                          .attempts = row->attempts,
                                          .stalls = row->stalls,
                                          .snoozes = row->snoozes,
                                          .url = row->url,
                                          .leased_at = ledger_.now()}));
        --group.counters.queued;
        ++group.counters.running;
        ledger_.touch(group);
        leased_.urls.push_back({.lease = {JobId(id), token},
                                .group = GroupId(group.id),
                                .host = HostId(row->host),
                                .host_name = std::move(host.name),
                                .url = std::move(row->url),
                                .key = row->key,
                                .depth = row->depth,
                                .redirects = row->redirects,
                                .source = row->source,
                                .attempt = row->attempts + 1,
                                .max_attempts = ledger_.limits().url_attempts});
        if (group.has_former) {
            leased_.urls.back().former = TRY(ledger_.rows().pages.former(group.pages, row->key));
        }
        return {};
    }

    Ledger& ledger_;
    const Demand& demand_;
    Leased& leased_;
    std::unordered_set<std::int64_t> saturated_;
    std::set<std::pair<std::int64_t, std::int64_t>> saturated_lanes_;  // crawl and host
    std::unordered_set<std::int64_t> exhausted_;  // crawls that have nothing for this worker now
    std::optional<Timestamp> hosts_due_;
};

}  // namespace

Result<std::optional<Timestamp>> lease_urls(Ledger& ledger, const Demand& demand, Leased& leased) {
    UrlClaim claim(ledger, demand, leased);
    TRY(claim.run());
    return claim.hosts_due();
}

namespace {

// Lines in memory may be out of date: the row decides whether the job is really next.
bool is_leasable(const Ledger& ledger, const JobRow& row, int priority) {
    return row.state == JobState::queued && row.place.priority == priority &&
           (!row.run_at || *row.run_at <= ledger.now()) && !ledger.leases.contains(row.id);
}

JobLease lease_of(Ledger& ledger, const JobRow& row, const std::string& kind, std::string_view payload) {
    JobLease lease{.lease = {JobId(row.id), ledger.next_token()},
                   .kind = kind,
                   .payload = std::string(payload),
                   .attempt = row.attempts + 1,
                   .max_attempts = row.max_attempts,
                   .stalls = row.stalls,
                   .owner = ledger.rows().owners.at(row.place.owner).name,
                   .deadline = row.deadline};
    if (row.place.group != 0) lease.group = GroupId(row.place.group);
    return lease;
}

// The next job of the kind; nothing if none may run.
Result<std::optional<JobLease>> lease_job(Ledger& ledger, const std::string& kind, WorkerId worker) {
    const int kind_id = ledger.rows().kinds.find(kind);
    while (const auto taken = ledger.ready.pop(kind_id)) {
        std::optional<JobLease> leased;
        Lease lease;
        TRY(ledger.rows().jobs.find(taken->id, [&](const JobRow& row, std::string_view payload) {
            if (!is_leasable(ledger, row, taken->priority)) return;
            leased = lease_of(ledger, row, kind, payload);
            lease = {.token = leased->lease.token,
                     .worker = worker,
                     .owner = row.place.owner,
                     .group = row.place.group,
                     .priority = row.place.priority,
                     .kind = row.place.kind,
                     .attempts = row.attempts,
                     .max_attempts = row.max_attempts,
                     .stalls = row.stalls,
                     .snoozes = row.snoozes,
                     .leased_at = ledger.now()};
        }));
        if (!leased) continue;
        TRY(ledger.add_lease(leased->lease.id, lease));
        return leased;
    }
    return std::nullopt;
}

}  // namespace

Answer<Leased> lease(Ledger& ledger, const Demand& demand) {
    Worker* worker = ledger.workers.find(demand.worker);
    if (!worker) return refuse<Leased>(ErrorCode::not_found, "unknown worker");
    // A worker that asks for work is alive.
    worker->beat_at = ledger.now();
    worker->is_dead = false;
    TRY(do_what_is_due(ledger));
    Leased leased;
    for (const Demand::Kind& kind : demand.kinds) {
        for (int slot = 0; slot < kind.slots; ++slot) {
            auto job = TRY(lease_job(ledger, kind.kind, demand.worker));
            if (!job) break;
            leased.jobs.push_back(*std::move(job));
        }
    }
    std::optional<Timestamp> hosts_due;
    if (demand.urls > 0) hosts_due = TRY(lease_urls(ledger, demand, leased));
    TRY(lease_changes(ledger, demand, leased));
    leased.next_due = earlier(next_due(ledger), hosts_due);
    return leased;
}

}  // namespace quarry::store
