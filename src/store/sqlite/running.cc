#include "store/sqlite/running.h"

#include "store/rows/columns.h"

namespace quarry::store {

Result<OwnerTable> OwnerTable::create(db::Connection& connection, const OwnerLimits& standard) {
    Statements sql;
    sql.all = TRY(connection.prepare(
        "SELECT name, running_jobs, running_groups, open_jobs, requests_per_minute, pages_per_month,"
        " stored_bytes"
        " FROM owner ORDER BY id"));
    sql.insert = TRY(connection.prepare("INSERT INTO owner(id, name) VALUES (?1, ?2)"));
    sql.set_limits = TRY(connection.prepare(
        "UPDATE owner SET running_jobs = ?2, running_groups = ?3, open_jobs = ?4, requests_per_minute = ?5,"
        " pages_per_month = ?6, stored_bytes = ?7 WHERE id = ?1"));
    sql.add_usage = TRY(
        connection.prepare("INSERT INTO usage(owner, day, pages) VALUES (?1, ?2 / 86400000 * 86400000, ?3)"
                           " ON CONFLICT(owner, day) DO UPDATE SET pages = pages + excluded.pages"));
    OwnerTable table(std::move(sql), standard);
    TRY(table.reload());
    return table;
}

Result<void> OwnerTable::reload() {
    owners_.clear();
    ids_.clear();
    auto& rows = sql_.all.bind();
    while (TRY(rows.step())) {
        Owner owner{.name = std::string(rows.text(0)), .limits = standard_};
        if (!rows.is_null(1)) {
            owner.limits = {.running_jobs = static_cast<int>(rows.integer(1)),
                            .running_groups = static_cast<int>(rows.integer(2)),
                            .open_jobs = rows.integer(3),
                            .requests_per_minute = rows.integer(4),
                            .pages_per_month = rows.integer(5),
                            .stored_bytes = rows.integer(6)};
        }
        ids_[owner.name] = count() + 1;
        owners_.push_back(std::move(owner));
    }
    rows.reset();
    return {};
}

Result<int> OwnerTable::ensure(const std::string& name) {
    if (const auto known = ids_.find(name); known != ids_.end()) return known->second;
    const int id = count() + 1;
    TRY(sql_.insert.bind(id, name).run());
    owners_.push_back({.name = name, .limits = standard_});
    ids_[name] = id;
    return id;
}

Result<void> OwnerTable::set_limits(int id, const OwnerLimits& limits) {
    TRY(sql_.set_limits
            .bind(id, limits.running_jobs, limits.running_groups, limits.open_jobs,
                  limits.requests_per_minute, limits.pages_per_month, limits.stored_bytes)
            .run());
    at(id).limits = limits;
    return {};
}

Result<void> OwnerTable::add_usage(int id, Timestamp now, std::int64_t pages) {
    return sql_.add_usage.bind(id, column_of(now), pages).run();
}

Result<HostTable> HostTable::create(db::Connection& connection) {
    Statements sql;
    sql.insert = TRY(connection.prepare("INSERT INTO host(name) VALUES (?1) RETURNING id"));
    sql.find_name = TRY(connection.prepare("SELECT id FROM host WHERE name = ?1"));
    sql.find = TRY(connection.prepare("SELECT name, connections, delay, not_before FROM host WHERE id = ?1"));
    sql.set_rule = TRY(
        connection.prepare("UPDATE host SET connections = ?2, delay = ?3, not_before = ?4 WHERE id = ?1"));
    sql.blocked = TRY(connection.prepare("SELECT id, not_before FROM host WHERE not_before IS NOT NULL"));
    HostTable table(std::move(sql));
    TRY(table.reload());
    return table;
}

Result<void> HostTable::reload() {
    ids_.clear();
    hosts_.clear();
    not_before_.clear();
    claims_.clear();
    auto& rows = sql_.blocked.bind();
    while (TRY(rows.step())) not_before_[rows.integer(0)] = time_of(rows.integer(1));
    rows.reset();
    return {};
}

Result<std::int64_t> HostTable::ensure(const std::string& name) {
    if (const auto known = ids_.find(name); known != ids_.end()) return known->second;
    auto* row = &sql_.find_name.bind(name);
    if (!TRY(row->step())) {
        row = &sql_.insert.bind(name);
        TRY(row->step());
    }
    const std::int64_t id = row->integer(0);
    while (TRY(row->step())) {
    }
    row->reset();
    if (ids_.size() >= remembered_hosts) ids_.clear();
    ids_[name] = id;
    return id;
}

Result<Host> HostTable::find(std::int64_t id) {
    if (const auto known = hosts_.find(id); known != hosts_.end()) return known->second;
    Host host;
    auto& row = sql_.find.bind(id);
    if (TRY(row.step())) {
        host.name = row.text(0);
        if (!row.is_null(1)) {
            host.rule = HostRule{.host = host.name,
                                 .connections = static_cast<int>(row.integer(1)),
                                 .delay = std::chrono::milliseconds(row.integer(2)),
                                 .not_before = time_of(row.optional_integer(3))};
        }
    }
    row.reset();
    if (hosts_.size() >= remembered_hosts) hosts_.clear();
    hosts_[id] = host;
    return host;
}

Result<void> HostTable::set_rule(const HostRule& rule) {
    const std::int64_t id = TRY(ensure(rule.host));
    TRY(sql_.set_rule.bind(id, rule.connections, rule.delay.count(), column_of(rule.not_before)).run());
    hosts_[id] = {.name = rule.host, .rule = rule};
    if (rule.not_before) {
        not_before_[id] = *rule.not_before;
    } else {
        not_before_.erase(id);
    }
    return {};
}

std::optional<Timestamp> HostTable::not_before(std::int64_t id) const {
    const auto found = not_before_.find(id);
    if (found == not_before_.end()) return std::nullopt;
    return found->second;
}

const HostTable::Claim* HostTable::claim_on(std::int64_t id) const {
    const auto found = claims_.find(id);
    return found == claims_.end() ? nullptr : &found->second;
}

bool HostTable::add_claim(std::int64_t id, WorkerId worker) {
    Claim& claim = claims_[id];
    claim.worker = worker;
    return ++claim.urls == 1;
}

void HostTable::remove_claim(std::int64_t id) {
    const auto found = claims_.find(id);
    if (found != claims_.end() && --found->second.urls == 0) claims_.erase(found);
}

}  // namespace quarry::store
