#include "store/sqlite/host_table.h"

#include "store/rows/columns.h"

namespace quarry::store {

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
