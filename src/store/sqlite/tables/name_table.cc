#include "store/sqlite/tables/name_table.h"

namespace quarry::store {

Result<NameTable> NameTable::create(db::Connection& connection) {
    Statements sql;
    sql.all = TRY(connection.prepare("SELECT id, name FROM kind"));
    sql.insert = TRY(connection.prepare("INSERT INTO kind(id, name) VALUES (?1, ?2)"));
    NameTable table(std::move(sql));
    TRY(table.reload());
    return table;
}

Result<void> NameTable::reload() {
    ids_.clear();
    auto& rows = sql_.all.bind();
    while (TRY(rows.step())) ids_[std::string(rows.text(1))] = static_cast<int>(rows.integer(0));
    rows.reset();
    return {};
}

Result<int> NameTable::ensure(const std::string& name) {
    if (const int known = find(name)) return known;
    const int id = static_cast<int>(ids_.size()) + 1;
    TRY(sql_.insert.bind(id, name).run());
    ids_[name] = id;
    return id;
}

}  // namespace quarry::store
