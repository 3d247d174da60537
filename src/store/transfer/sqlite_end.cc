#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "db/packed_text.h"
#include "db/postgres/values.h"
#include "db/sqlite.h"
#include "store/sqlite/schema.h"
#include "store/transfer/transfer.h"

namespace quarry::store {

namespace {

// Of a job that is being worked on; it begins anew.
bool is_left_out(const TransferTable& table, std::string_view column) {
    return std::string_view(table.name) == "job" && column == "progress";
}

// Words are packed in the file, and text on the way.
bool is_packed(const TransferTable& table, std::string_view column) {
    return table.is_words && (column == "markdown" || column == "details" || column == "html");
}

class SqliteEnd final : public TransferEnd {
public:
    SqliteEnd(db::Connection connection, std::string path)
        : connection_(std::move(connection)), path_(std::move(path)) {}

    std::string place() const override { return path_; }

    Result<void> check_source() override {
        if (TRY(version_of(connection_)) != schema_version)
            return fail(
                ErrorCode::conflict,
                fmt::format("{} is of an older version: any command, such as quarry status, brings it "
                            "up to date first",
                            path_));
        return {};
    }

    Result<void> begin_target(std::uint64_t source) override {
        TRY(migrate(connection_));
        const auto mark = TRY(connection_.integer("SELECT value FROM meta WHERE name = 'transfer'"));
        const auto wanted = static_cast<std::int64_t>(source);
        if (mark == wanted) return {};
        const bool has_rows = TRY(connection_.integer("SELECT EXISTS (SELECT 1 FROM grp) OR EXISTS (SELECT 1 "
                                                      "FROM page) OR EXISTS (SELECT 1 FROM job)"))
                                  .value_or(0) != 0;
        if (mark || has_rows)
            return fail(ErrorCode::conflict,
                        fmt::format("{} has something in it already: name a folder that is empty", path_));
        auto statement = TRY(connection_.prepare(
            "INSERT INTO meta VALUES ('transfer', ?1), ('salt', ?1), ('epoch', 0) ON CONFLICT DO UPDATE SET "
            "value = excluded.value"));
        return statement.bind(wanted).run();
    }

    Result<void> finish_target(std::int64_t next_id) override {
        db::Transaction transaction = TRY(db::Transaction::begin(connection_));
        // A change that was being indexed when a newer one came is dropped.
        TRY(connection_.execute(fmt::format(R"sql(
            INSERT INTO meta VALUES ('next_id', {}) ON CONFLICT DO UPDATE SET value = excluded.value;
            UPDATE grp SET queued = queued + running, running = 0 WHERE running <> 0;
            CREATE TEMP TABLE dropped AS SELECT id, coalesce(grp, 0) AS grp, collection FROM outbox
                WHERE state = 0 AND EXISTS (SELECT 1 FROM outbox AS newer WHERE newer.page = outbox.page
                                                                          AND newer.id > outbox.id);
            UPDATE outbox_count SET queued = queued - (
                SELECT count(*) FROM dropped WHERE dropped.grp = outbox_count.grp
                                               AND dropped.collection = outbox_count.collection);
            DELETE FROM outbox WHERE id IN (SELECT id FROM dropped);
            DROP TABLE dropped;
            DELETE FROM meta WHERE name = 'transfer';)sql",
                                            next_id)));
        TRY(transaction.commit());
        TRY(connection_.checkpoint(true));
        return {};
    }

    Result<std::uint64_t> salt() override {
        return static_cast<std::uint64_t>(
            TRY(connection_.integer("SELECT value FROM meta WHERE name = 'salt'")).value_or(0));
    }
    Result<std::int64_t> next_id() override {
        return TRY(connection_.integer("SELECT value FROM meta WHERE name = 'next_id'")).value_or(1);
    }

    Result<std::vector<std::string>> columns(const TransferTable& table) override {
        auto statement = TRY(connection_.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY name"));
        std::vector<std::string> names;
        statement.bind(table.name);
        while (TRY(statement.step()))
            if (!is_left_out(table, statement.text(0))) names.emplace_back(statement.text(0));
        return names;
    }

    Result<std::int64_t> count(const TransferTable& table) override {
        return TRY(connection_.integer(fmt::format("SELECT count(*) FROM {}", table.name))).value_or(0);
    }
    Result<std::int64_t> last_key(const TransferTable& table) override {
        return TRY(connection_.integer(fmt::format("SELECT max({}) FROM {}", table.key, table.name)))
            .value_or(0);
    }

    Result<std::vector<Cells>> read(const TransferTable& table, const std::vector<std::string>& columns,
                                    std::int64_t after, int limit) override {
        const bool has_key = *table.key != '\0';
        auto statement = TRY(connection_.prepare(
            fmt::format("SELECT {} FROM {} {}", fmt::join(columns, ", "), table.name,
                        has_key ? fmt::format("WHERE {0} > ?1 ORDER BY {0} LIMIT ?2", table.key) : "")));
        if (has_key) statement.bind(after, limit);
        const std::set<std::string> bytes = TRY(blobs_of(table));
        std::vector<Cells> rows;
        while (TRY(statement.step())) {
            Cells& row = rows.emplace_back();
            for (std::size_t column = 0; column < columns.size(); ++column)
                row.push_back(
                    TRY(cell_at(statement, static_cast<int>(column),
                                {is_packed(table, columns[column]), bytes.contains(columns[column])})));
        }
        return rows;
    }

    Result<void> write(const TransferTable& table, const std::vector<std::string>& columns,
                       const std::vector<Cells>& rows) override {
        db::Transaction transaction = TRY(db::Transaction::begin(connection_));
        if (*table.key == '\0') TRY(connection_.execute(fmt::format("DELETE FROM {}", table.name)));
        const bool is_job = std::string_view(table.name) == "job";
        auto statement = TRY(connection_.prepare(fmt::format(
            "INSERT INTO {} ({}{}) VALUES ({}{})", table.name, fmt::join(columns, ", "),
            is_job ? ", progress" : "", fmt::join(std::vector<std::string_view>(columns.size(), "?"), ", "),
            is_job ? ", 0" : "")));
        const std::set<std::string> bytes = TRY(blobs_of(table));
        for (const Cells& row : rows) TRY(insert(statement, table, columns, row, bytes));
        return transaction.commit();
    }

private:
    struct Form {
        bool is_packed = false, is_bytes = false;
    };

    // What PostgreSQL cannot hold is replaced here, so that both ends say the same.
    static Result<Cell> cell_at(const db::Statement& statement, int column, Form form) {
        if (statement.is_null(column)) return Cell();
        if (form.is_packed) return Cell(db::to_pg_text(TRY(db::unpack_text(statement.text(column)))));
        if (form.is_bytes) return Cell(std::string(statement.text(column)));
        if (statement.is_text(column)) return Cell(db::to_pg_text(statement.text(column)));
        return Cell(statement.integer(column));
    }

    Result<void> insert(db::Statement& statement, const TransferTable& table,
                        const std::vector<std::string>& columns, const Cells& row,
                        const std::set<std::string>& bytes) {
        std::vector<std::string> packed(row.size());  // lives until the statement has run
        statement.bind();
        for (std::size_t at = 0; at < row.size(); ++at) {
            const int place = static_cast<int>(at) + 1;
            const std::string* text = std::get_if<std::string>(&row[at]);
            if (const auto* number = std::get_if<std::int64_t>(&row[at])) {
                statement.bind_at(place, *number);
            } else if (!text) {
                statement.bind_at(place, nullptr);
            } else if (is_packed(table, columns[at])) {
                packed[at] = TRY(db::pack_text(*text));
                statement.bind_at(place, db::Blob{packed[at]});
            } else if (bytes.contains(columns[at])) {
                statement.bind_at(place, db::Blob{*text});
            } else {
                statement.bind_at(place, *text);
            }
        }
        return statement.run();
    }

    Result<std::set<std::string>> blobs_of(const TransferTable& table) {
        auto statement =
            TRY(connection_.prepare("SELECT name FROM pragma_table_info(?1) WHERE type = 'BLOB'"));
        std::set<std::string> names;
        statement.bind(table.name);
        while (TRY(statement.step())) names.emplace(statement.text(0));
        return names;
    }

    db::Connection connection_;
    const std::string path_;
};

}  // namespace

Result<std::unique_ptr<TransferEnd>> open_sqlite_end(const std::string& path) {
    return std::make_unique<SqliteEnd>(TRY(db::Connection::open(path, db::Access::create)), path);
}

}  // namespace quarry::store
