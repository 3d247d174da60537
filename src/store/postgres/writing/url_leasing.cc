// Which URLs a worker gets next. Crawls take turns, by priority and between owners. Within a crawl its hosts
// take turns, so that a slow host holds up no other. A host belongs to one worker at a time, so politeness
// needs no agreement between workers.
#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

#include "store/postgres/writing/leasing.h"
#include "store/postgres/writing/operations.h"
#include "store/rows/columns.h"

namespace quarry::store::postgres {

namespace {

// How many URLs a crawl gets in a turn: enough that choosing the next crawl costs nothing.
constexpr int urls_per_turn = 16;
// One turn in this many goes to the crawl that has waited longest, whatever its priority.
constexpr std::uint64_t longest_wait_every = 16;
// A window of each host is enough for one claim.
constexpr std::int64_t least_window = 16;

// When to try again after crawls were passed over because other transactions had locked them.
constexpr std::chrono::milliseconds look_again_after{10};

constexpr db::PgStatement groups_sql{"groups_with_urls", R"sql(
    select grp.id, grp.owner, coalesce(owner.running_jobs, $1)
           - coalesce((select sum(running_urls) from quarry.tally where tally.owner = grp.owner), 0)::bigint,
           (select count(*) from quarry.worker where not is_dead)
    from quarry.grp join quarry.owner on owner.id = grp.owner
    where grp.finished_at is null and grp.state = 1 and grp.queued > 0
        and grp.completed + grp.running < grp.page_limit
        and exists (select 1 from quarry.url_lane where url_lane.grp = grp.id)
    order by grp.priority, grp.id limit 64)sql"};

constexpr db::PgStatement lanes_sql{"url_lanes", R"sql(
    select lane.grp, lane.host, host.name, host.connections, host.delay, host.not_before, host.held, host.freed_at
    from quarry.url_lane lane join quarry.host on host.id = lane.host
    where lane.grp = any($1::bigint[]) and not (lane.host = any($2::bigint[]))
        and (host.holder is null or host.holder = $3)
    order by lane.turn limit 4096)sql"};

constexpr db::PgStatement windows_sql{"url_windows", R"sql(
    select lane.place, ready.priority, ready.id
    from unnest($1::bigint[], $2::bigint[], $3::bigint[]) with ordinality as lane(grp, host, urls, place)
    cross join lateral (select priority, id from quarry.url_ready
                        where url_ready.grp = lane.grp and url_ready.host = lane.host
                        order by priority, id limit lane.urls) ready
    order by lane.place, ready.priority, ready.id)sql"};

constexpr db::PgStatement hold_hosts_sql{"hold_hosts", R"sql(
    with u as materialized (select * from unnest($1::bigint[], $2::bigint[]) as u(id, urls)),
         locked as materialized (select host.id from quarry.host join u using (id) order by host.id for update of host)
    update quarry.host set holder = $3, held = host.held + u.urls
    from u join locked using (id)
    where host.id = u.id and (host.holder is null or host.holder = $3) returning host.id)sql"};

constexpr db::PgStatement claim_urls_sql{"claim_urls", R"sql(
    with u as materialized (select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
                                with ordinality as u(id, grp, host, priority, owner, place)),
         d as (delete from quarry.url_ready r using u
               where r.grp = u.grp and r.host = u.host and r.priority = u.priority and r.id = u.id returning r.id),
         l as (insert into quarry.url_lease(id, token, worker, owner, grp, host, leased_at)
               select u.id, quarry.new_token(), $6, u.owner, u.grp, u.host, $7 from u join d on d.id = u.id
               returning id, token)
    select u.id, l.token, u.grp, u.host, f.key, f.depth, f.redirects, f.source, f.attempts, f.url
    from u join l on l.id = u.id join quarry.frontier f on f.id = u.id order by u.place)sql"};

// A host without URLs loses its turn. The others now come after the hosts that were not served.
constexpr db::PgStatement served_sql{"lanes_served", R"sql(
    with u as materialized (select grp, host, exists (select 1 from quarry.url_ready r
                                                      where r.grp = u.grp and r.host = u.host) as has_more
                            from unnest($1::bigint[], $2::bigint[]) as u(grp, host)),
         gone as (delete from quarry.url_lane l using u where l.grp = u.grp and l.host = u.host and not u.has_more)
    update quarry.url_lane l set turn = nextval('quarry.token') from u
    where l.grp = u.grp and l.host = u.host and u.has_more)sql"};

constexpr db::PgStatement former_pages_sql{"former_pages", R"sql(
    select key, id, content, etag, last_modified, content_hash from quarry.page
    where collection = $1 and key = any($2::bytea[]))sql"};

// Workers share what an owner may still have under way, so that the first worker does not take all of it.
std::int64_t share_of_room(std::int64_t room, std::int64_t workers) {
    return room <= 0 ? 0 : (room + workers - 1) / std::max<std::int64_t>(workers, 1);
}

struct Host {
    HostRule rule{};
    bool is_known = false;
    std::int64_t held = 0;
    std::int64_t taken = 0;
};

struct Waiting {
    std::int64_t priority = 0, id = 0;
};

struct HostLane {
    std::int64_t group = 0, host = 0;
    std::deque<Waiting> urls{};
};

struct Crawl {
    std::int64_t id = 0;
    OpenGroup* group = nullptr;
    std::deque<HostLane*> lanes{};  // the next to be served first
};

struct Pick {
    std::int64_t id = 0, group = 0, host = 0, priority = 0, owner = 0;
};

class UrlClaim {
public:
    UrlClaim(Ledger& ledger, const Demand& demand, Leased& leased)
        : ledger_(ledger), demand_(demand), leased_(leased) {}

    Result<void> run() {
        TRY(read_groups());
        if (crawls_.empty()) return {};
        TRY(read_lanes());
        TRY(read_windows());
        turns_ = ledger_.process().url_turns.with([](const auto& turns) { return turns; });
        while (static_cast<int>(picks_.size()) < demand_.urls) {
            Crawl* crawl = next_crawl();
            if (!crawl) break;
            give_turn(*crawl);
        }
        ledger_.process().url_turns.with([&](auto& turns) { turns = turns_; });
        return picks_.empty() ? Result<void>{} : take();
    }

private:
    Result<void> read_groups() {
        const db::PgRows rows =
            TRY(ledger_.sql().run(groups_sql, db::PgValues(ledger_.limits().running_jobs_per_owner)));
        std::set<std::int64_t> ids;
        for (int row = 0; row < rows.size(); ++row) {
            ids.insert(rows.integer(row, 0));
            rooms_[rows.integer(row, 1)] = share_of_room(rows.integer(row, 2), rows.integer(row, 3));
        }
        TRY(lock(ids, rows.empty() ? 0 : rows.integer(0, 0)));
        for (const std::int64_t id : ids) {
            OpenGroup* group = TRY(ledger_.group(id));
            if (group && group->state == JobState::running) crawls_[id] = {.id = id, .group = group};
        }
        return {};
    }

    // A worker that waited for all crawls would itself hold up many workers that hold some of them. So crawls
    // that other transactions have locked are passed over. If all are locked, this waits for the first. The
    // ids left in `ids` are locked.
    Result<void> lock(std::set<std::int64_t>& ids, std::int64_t first) {
        TRY(ledger_.lock_groups(ids, IfLocked::skip));
        const auto is_taken = [&](std::int64_t id) { return !ledger_.has_locked(id); };
        const bool are_all_taken = std::ranges::all_of(ids, is_taken);
        if (are_all_taken && !ids.empty()) TRY(ledger_.lock_groups({first}));
        if (std::erase_if(ids, is_taken) > 0)
            leased_.next_due = earlier(leased_.next_due, ledger_.now() + look_again_after);
        return {};
    }

    Result<void> read_lanes() {
        std::vector<std::int64_t> groups, saturated;
        for (const auto& [id, crawl] : crawls_) groups.push_back(id);
        for (const HostId host : demand_.saturated) saturated.push_back(number(host));
        std::set<std::pair<std::int64_t, std::int64_t>> full;  // crawl and host
        for (const auto& [group, host] : demand_.saturated_lanes) full.emplace(number(group), number(host));
        const db::PgRows rows =
            TRY(ledger_.sql().run(lanes_sql, db::PgValues(groups, saturated, number(demand_.worker))));
        for (int index = 0; index < rows.size(); ++index) {
            const db::PgRow row(rows, index);
            const std::int64_t id = row.integer(1);
            if (full.contains({row.integer(0), id})) continue;
            const Host& host = hosts_.try_emplace(id, host_of(row)).first->second;
            const auto not_before = time_of(row.optional_integer(5));
            if (host.held == 0 && !new_hosts_.contains(id)) {
                if (std::ssize(new_hosts_) >= demand_.new_hosts) continue;
                new_hosts_.insert(id);
            }
            if (not_before && *not_before > ledger_.now()) {
                leased_.next_due = earlier(leased_.next_due, not_before);
            } else if (host.held < demand_.urls_per_host) {
                lanes_.push_back({.group = row.integer(0), .host = id});
            }
        }
        return {};
    }

    // A worker that takes over a host keeps the delay after the former worker's last request.
    Host host_of(const db::PgRow& row) const {
        Host host{
            .rule = {.host = std::string(row.text(2))}, .is_known = !row.is_null(3), .held = row.integer(6)};
        if (!host.is_known) return host;
        host.rule.connections = static_cast<int>(row.integer(3));
        host.rule.delay = std::chrono::milliseconds(row.integer(4));
        host.rule.not_before = time_of(row.optional_integer(5));
        const auto freed_at = time_of(row.optional_integer(7));
        if (freed_at && host.rule.delay.count() > 0)
            host.rule.not_before =
                std::max(host.rule.not_before.value_or(Timestamp{}), *freed_at + host.rule.delay);
        return host;
    }

    Result<void> read_windows() {
        db::PgIntegers groups, hosts, sizes;
        const std::int64_t share = 4 * demand_.urls / std::max<std::int64_t>(std::ssize(lanes_), 1);
        for (const HostLane& lane : lanes_) {
            groups.emplace_back(lane.group);
            hosts.emplace_back(lane.host);
            sizes.emplace_back(
                std::min(demand_.urls_per_host - hosts_[lane.host].held, std::max(least_window, share)));
        }
        if (lanes_.empty()) return {};
        const db::PgRows rows = TRY(ledger_.sql().run(windows_sql, db::PgValues(groups, hosts, sizes)));
        for (int row = 0; row < rows.size(); ++row) {
            lanes_[static_cast<std::size_t>(rows.integer(row, 0)) - 1].urls.push_back(
                {rows.integer(row, 1), rows.integer(row, 2)});
        }
        for (HostLane& lane : lanes_) {
            if (!lane.urls.empty()) crawls_[lane.group].lanes.push_back(&lane);
        }
        return {};
    }

    bool may_lease_from(const Crawl& crawl) const {
        return !crawl.lanes.empty() && !crawl.group->has_enough() && rooms_.at(crawl.group->owner) > 0;
    }

    Crawl* next_crawl() {
        const bool by_wait = (turns_.turns + 1) % longest_wait_every == 0;
        const auto rank = [&](const Crawl& crawl) {
            return std::tuple(by_wait ? 0 : crawl.group->priority, turns_.owners[crawl.group->owner],
                              turns_.groups[crawl.id], crawl.id);
        };
        Crawl* next = nullptr;
        for (auto& [id, crawl] : crawls_) {
            if (may_lease_from(crawl) && (!next || rank(crawl) < rank(*next))) next = &crawl;
        }
        return next;
    }

    void give_turn(Crawl& crawl) {
        turns_.owners[crawl.group->owner] = turns_.groups[crawl.id] = ++turns_.turns;
        for (int count = 0; count < urls_per_turn && may_lease_from(crawl); ++count) {
            if (static_cast<int>(picks_.size()) >= demand_.urls) return;
            HostLane* lane = crawl.lanes.front();
            crawl.lanes.pop_front();
            Host& host = hosts_[lane->host];
            if (host.held + host.taken >= demand_.urls_per_host) continue;
            pick(crawl, *lane, host);
            if (!lane->urls.empty()) crawl.lanes.push_back(lane);
        }
    }

    void pick(Crawl& crawl, HostLane& lane, Host& host) {
        const Waiting url = lane.urls.front();
        lane.urls.pop_front();
        ++host.taken;
        --rooms_[crawl.group->owner];
        --crawl.group->counters.queued;
        ++crawl.group->counters.running;
        ++ledger_.tally_of_owner(crawl.group->owner).running_urls;
        ledger_.touch(*crawl.group);
        picks_.push_back({url.id, crawl.id, lane.host, url.priority, crawl.group->owner});
    }

    // Undoes what pick() counted.
    void put_back(const Pick& pick) {
        OpenGroup& group = *crawls_[pick.group].group;
        ++group.counters.queued;
        --group.counters.running;
        --ledger_.tally_of_owner(group.owner).running_urls;
    }

    // Another worker may have taken a host meanwhile.
    Result<void> hold_hosts() {
        db::PgIntegers ids, urls;
        for (const auto& [id, host] : hosts_) {
            if (host.taken == 0) continue;
            ids.emplace_back(id);
            urls.emplace_back(host.taken);
        }
        const db::PgRows rows =
            TRY(ledger_.sql().run(hold_hosts_sql, db::PgValues(ids, urls, number(demand_.worker))));
        std::unordered_set<std::int64_t> held;
        for (int row = 0; row < rows.size(); ++row) held.insert(rows.integer(row, 0));
        for (const auto& [id, host] : hosts_) {
            if (held.contains(id) && host.held == 0 && host.is_known) leased_.hosts.push_back(host.rule);
        }
        std::erase_if(picks_, [&](const Pick& pick) {
            if (held.contains(pick.host)) return false;
            put_back(pick);
            return true;
        });
        return {};
    }

    Result<void> take() {
        TRY(hold_hosts());
        db::PgIntegers ids, groups, hosts, priorities, owners;
        std::set<std::pair<std::int64_t, std::int64_t>> served;
        for (const Pick& pick : picks_) {
            ids.emplace_back(pick.id);
            groups.emplace_back(pick.group);
            hosts.emplace_back(pick.host);
            priorities.emplace_back(pick.priority);
            owners.emplace_back(pick.owner);
            served.emplace(pick.group, pick.host);
        }
        const db::PgRows rows = TRY(ledger_.sql().run(
            claim_urls_sql, db::PgValues(ids, groups, hosts, priorities, owners, number(demand_.worker),
                                         column_of(ledger_.now()))));
        if (rows.size() != static_cast<int>(picks_.size()))
            return fail(ErrorCode::corrupt, "a URL that may be fetched is not there");
        for (int row = 0; row < rows.size(); ++row) leased_.urls.push_back(lease_of(db::PgRow(rows, row)));
        end_turns(served);
        return add_former_pages();
    }

    UrlLease lease_of(const db::PgRow& row) const {
        return {.lease = {JobId(row.integer(0)), Token(row.integer(1))},
                .group = GroupId(row.integer(2)),
                .host = HostId(row.integer(3)),
                .host_name = hosts_.at(row.integer(3)).rule.host,
                .url = std::string(row.text(9)),
                .key = key_of(row.text(4)).value_or(UrlKey{}),
                .depth = static_cast<int>(row.integer(5)),
                .redirects = static_cast<int>(row.integer(6)),
                .source = static_cast<UrlSource>(row.integer(7)),
                .attempt = static_cast<int>(row.integer(8)) + 1,
                .max_attempts = ledger_.limits().url_attempts};
    }

    void end_turns(const std::set<std::pair<std::int64_t, std::int64_t>>& served) {
        db::PgIntegers groups, hosts;
        for (const auto& [group, host] : served) {
            groups.emplace_back(group);
            hosts.emplace_back(host);
        }
        ledger_.sql().later(served_sql, db::PgValues(groups, hosts));
    }

    Result<void> add_former_pages() {
        std::map<std::string, std::map<UrlKey, std::vector<UrlLease*>>> wanted;
        for (UrlLease& lease : leased_.urls) {
            const PageOwner& pages = crawls_[number(lease.group)].group->pages;
            if (!pages.zero_retention) wanted[pages.collection][lease.key].push_back(&lease);
        }
        for (auto& [collection, leases] : wanted) {
            std::vector<KeyColumn> columns;
            columns.reserve(leases.size());
            db::PgBlobs keys;
            for (const auto& [key, lease] : leases)
                keys.values.emplace_back(columns.emplace_back(key).blob().bytes);
            const db::PgRows rows = TRY(ledger_.sql().run(former_pages_sql, db::PgValues(collection, keys)));
            for (int index = 0; index < rows.size(); ++index) {
                const db::PgRow row(rows, index);
                const FormerPage former{.page = PageId(row.integer(1)),
                                        .content = ContentId(row.integer(2)),
                                        .etag = std::string(row.text(3)),
                                        .last_modified = std::string(row.text(4)),
                                        .content_hash = static_cast<std::uint64_t>(row.integer(5))};
                for (UrlLease* lease : leases[key_of(row.text(0)).value_or(UrlKey{})]) lease->former = former;
            }
        }
        return {};
    }

    Ledger& ledger_;
    const Demand& demand_;
    Leased& leased_;
    std::map<std::int64_t, std::int64_t> rooms_;  // by owner
    std::map<std::int64_t, Crawl> crawls_;
    std::map<std::int64_t, Host> hosts_;
    std::set<std::int64_t> new_hosts_;  // hosts that the worker may take
    std::deque<HostLane> lanes_;
    std::vector<Pick> picks_;
    Process::UrlTurns turns_;
};

}  // namespace

Result<void> lease_urls(Ledger& ledger, const Demand& demand, Leased& leased) {
    return UrlClaim(ledger, demand, leased).run();
}

}  // namespace quarry::store::postgres
