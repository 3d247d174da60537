#include "store/sqlite/owner_table.h"

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

}  // namespace quarry::store
