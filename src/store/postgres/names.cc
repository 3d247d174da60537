#include "store/postgres/names.h"

#include <algorithm>

namespace quarry::store::postgres {

namespace {

// Hosts are many: they are looked up again when they have been forgotten.
constexpr std::size_t remembered_hosts = 50'000;

// What is there already is found without a write, which would use up a number and need a commit.
constexpr db::PgStatement ensure_kind{"ensure_kind", R"sql(
    with found as (select id from quarry.kind where name = $1),
         added as (insert into quarry.kind(name) select $1 where not exists (select 1 from found)
                   on conflict (name) do update set name = excluded.name returning id)
    select id from found union all select id from added)sql"};
constexpr db::PgStatement kind_name_sql{"kind_name", "select name from quarry.kind where id = $1"};
constexpr db::PgStatement ensure_owner{"ensure_owner", R"sql(
    with found as (select id from quarry.owner where name = $1),
         added as (insert into quarry.owner(name) select $1 where not exists (select 1 from found)
                   on conflict (name) do update set name = excluded.name returning id)
    select id from found union all select id from added)sql"};
constexpr db::PgStatement owner_name_sql{"owner_name", "select name from quarry.owner where id = $1"};
constexpr db::PgStatement ensure_hosts{"ensure_hosts", R"sql(
    with asked as (select distinct name from unnest($1::text[]) name),
         found as (select id, host.name from quarry.host join asked on asked.name = host.name),
         added as (insert into quarry.host(name)
                   select name from asked where name not in (select name from found) order by name
                   on conflict (name) do update set name = excluded.name returning id, name)
    select id, name from found union all select id, name from added)sql"};

}  // namespace

Result<void> Names::ask(Question question) {
    auto connection = pool_.borrow();
    if (connection) return question(**connection);
    unanswered_.with([&](auto& waiting) { waiting[std::this_thread::get_id()] = std::move(question); });
    return std::unexpected(connection.error());
}

Result<bool> Names::answer(const std::function<Result<db::PgPool::Borrowed>()>& borrow) {
    const auto entry =
        unanswered_.with([](auto& waiting) { return waiting.extract(std::this_thread::get_id()); });
    if (!entry) return false;
    auto connection = TRY(borrow());
    TRY(entry.mapped()(*connection));
    return true;
}

std::optional<std::int64_t> Names::known(const Guarded<Table>& table, const std::string& name) {
    return table.with([&](const Table& names) -> std::optional<std::int64_t> {
        const auto found = names.ids.find(name);
        if (found == names.ids.end()) return std::nullopt;
        return found->second;
    });
}

Result<std::int64_t> Names::number_of(Guarded<Table>& table, const Statements& sql, const std::string& name) {
    if (const auto id = known(table, name)) return *id;
    const auto learn = [&table, sql, name](db::PgConnection& connection) -> Result<void> {
        const db::PgRows rows = TRY(connection.run(sql.find_or_insert, db::PgValues(name)));
        if (rows.empty()) return fail(ErrorCode::corrupt, "a name has no number");
        const std::int64_t id = rows.integer(0, 0);
        table.with([&](Table& names) {
            names.ids[name] = id;
            names.names[id] = name;
        });
        return {};
    };
    TRY(ask(learn));
    return known(table, name).value_or(0);
}

Result<std::string> Names::name_of(Guarded<Table>& table, const Statements& sql, std::int64_t id) {
    const auto known = [&] {
        return table.with([&](Table& names) {
            const auto found = names.names.find(id);
            return found == names.names.end() ? std::string() : found->second;
        });
    };
    if (std::string name = known(); !name.empty()) return name;
    const auto learn = [&table, sql, id](db::PgConnection& connection) -> Result<void> {
        const db::PgRows rows = TRY(connection.run(sql.name_of, db::PgValues(id)));
        table.with([&](Table& names) { names.names[id] = rows.empty() ? "" : rows.text(0, 0); });
        return {};
    };
    TRY(ask(learn));
    return known();
}

Result<std::int64_t> Names::kind(const std::string& name) {
    return number_of(kinds_, {ensure_kind, kind_name_sql}, name);
}

Result<std::int64_t> Names::owner(const std::string& name) {
    return number_of(owners_, {ensure_owner, owner_name_sql}, name);
}

Result<std::string> Names::kind_name(std::int64_t id) {
    return name_of(kinds_, {ensure_kind, kind_name_sql}, id);
}

Result<std::string> Names::owner_name(std::int64_t id) {
    return name_of(owners_, {ensure_owner, owner_name_sql}, id);
}

Result<void> Names::learn_hosts(db::PgConnection& connection, const std::vector<std::string>& names) {
    const db::PgRows rows = TRY(connection.run(ensure_hosts, db::PgValues(names)));
    hosts_.with([&](auto& known) {
        if (known.size() >= remembered_hosts) known.clear();
        for (int row = 0; row < rows.size(); ++row)
            known[std::string(rows.text(row, 1))] = rows.integer(row, 0);
    });
    return {};
}

Result<std::vector<std::int64_t>> Names::hosts(std::span<const std::string> names) {
    // Others may make this forget what it has just learnt.
    while (true) {
        std::vector<std::int64_t> ids(names.size());
        std::vector<std::string> unknown;
        hosts_.with([&](auto& known) {
            for (std::size_t index = 0; index < names.size(); ++index) {
                const auto found = known.find(names[index]);
                if (found != known.end()) {
                    ids[index] = found->second;
                } else {
                    unknown.push_back(names[index]);
                }
            }
        });
        if (unknown.empty()) return ids;
        TRY(ask([this, unknown](db::PgConnection& connection) { return learn_hosts(connection, unknown); }));
    }
}

}  // namespace quarry::store::postgres
