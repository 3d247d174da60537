#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "db/packed_text.h"
#include "db/postgres/connection.h"
#include "db/postgres/values.h"
#include "store/postgres/schema/schema.h"
#include "store/transfer/transfer.h"

namespace quarry::store {

namespace {

enum class Form : std::uint8_t { number, yes_no, text, bytes };

// Columns that only PostgreSQL has. Their values follow from the rest.
bool is_derived(std::string_view table, std::string_view column) {
    if (table == "grp") return column == "has_aliases";
    if (table == "content") return column == "html_packed";  // read() unpacks it
    if (table == "host") return column == "holder" || column == "held" || column == "freed_at";
    return false;
}

// PostgreSQL keeps jobs that have not ended in three tables. A transfer treats them as one.
constexpr std::string_view jobs_of_all_tables = R"sql((
    select id, kind, case when state = 1 then 0 else state end as state, priority, owner, grp, attempts,
           max_attempts, stalls, zero_retention, created_at, run_at, start_by, deadline, unique_key, last_error,
           snoozes
    from quarry.job where state in (0, 1, 5)))sql";

constexpr const char* put_in_line = R"sql(
    insert into quarry.job_key select unique_key, id from quarry.parked where unique_key is not null;
    insert into quarry.tally(owner, stripe, open_jobs)
        select owner, 0, count(*) from quarry.parked group by owner;
    -- Those that may run are due at once: whoever works first gives them their places.
    update quarry.parked set reason = 1, run_at = created_at
        where reason = 3 and (grp is null or exists (
            select 1 from quarry.grp where grp.id = parked.grp and grp.state = 1));
    update quarry.grp set queued = queued + running, running = 0 where running <> 0;
    update quarry.grp set has_aliases = true where exists (
        select 1 from quarry.alias where alias.grp = grp.id);
    insert into quarry.url_ready select frontier.grp, frontier.host, frontier.priority, frontier.id
        from quarry.frontier join quarry.grp on grp.id = frontier.grp
        where frontier.state = 0 and frontier.run_at is null and grp.state in (0, 1, 5);
    insert into quarry.url_lane select distinct grp, host, 0 from quarry.url_ready;
    insert into quarry.url_delayed select frontier.id, frontier.grp, frontier.run_at
        from quarry.frontier join quarry.grp on grp.id = frontier.grp
        where frontier.state = 0 and frontier.run_at is not null and grp.state in (0, 1, 5);
    -- A change that was being indexed when a newer one came is dropped.
    with dropped as (
        delete from quarry.outbox where state = 0 and exists (
            select 1 from quarry.outbox as newer where newer.page = outbox.page and newer.id > outbox.id)
        returning coalesce(grp, 0) as grp, collection)
    update quarry.outbox_count set queued = queued - (
        select count(*) from dropped where dropped.grp = outbox_count.grp
                                       and dropped.collection = outbox_count.collection);
    insert into quarry.change_ready select id, priority, collection, page
        from quarry.outbox where state = 0 and run_at is null;
    select setval(pg_get_serial_sequence('quarry.kind', 'id'), (select coalesce(max(id), 0) + 1 from quarry.kind), false);
    select setval(pg_get_serial_sequence('quarry.owner', 'id'), (select coalesce(max(id), 0) + 1 from quarry.owner), false);
    select setval(pg_get_serial_sequence('quarry.host', 'id'), (select coalesce(max(id), 0) + 1 from quarry.host), false);
    delete from quarry.meta where name = 'transfer';
)sql";

class PostgresEnd final : public TransferEnd {
public:
    explicit PostgresEnd(db::PgConnection connection) : sql_(std::move(connection)) {}

    std::string place() const override { return sql_.place(); }

    Result<void> check_source() override {
        if (TRY(postgres::version_of(sql_)) != postgres::schema_version)
            return fail(ErrorCode::not_found, fmt::format("the {} has nothing of quarry's in it", place()));
        const auto rows =
            TRY(sql_.query("select count(*) from quarry.worker where not is_dead and "
                           "beat_at > quarry.now_ms() - 60000"));
        if (rows.integer(0, 0) == 0) return {};
        return fail(ErrorCode::conflict,
                    fmt::format("{} workers are at work at the {}: stop them first, or wait a minute if they "
                                "have gone already",
                                rows.integer(0, 0), place()));
    }

    Result<void> begin_target(std::uint64_t source) override {
        TRY(postgres::migrate(sql_));
        const auto wanted = static_cast<std::int64_t>(source);
        const auto mark = TRY(sql_.query("select value from quarry.meta where name = 'transfer'"));
        if (!mark.empty() && mark.integer(0, 0) == wanted) return {};
        const auto taken =
            TRY(sql_.query("select exists (select 1 from quarry.grp) or exists (select 1 from "
                           "quarry.page) or exists (select 1 from quarry.job)"));
        if (!mark.empty() || taken.boolean(0, 0))
            return fail(ErrorCode::conflict,
                        fmt::format("the {} has something of quarry's in it already: name an empty database",
                                    place()));
        db::PgTransaction transaction = TRY(db::PgTransaction::begin(sql_));
        TRY(sql_.query("insert into quarry.meta values ('transfer', $1)", db::PgValues(wanted)));
        TRY(sql_.query("select quarry.set_salt($1)", db::PgValues(wanted)));
        return transaction.commit();
    }

    Result<void> finish_target(std::int64_t next_id) override {
        db::PgTransaction transaction = TRY(db::PgTransaction::begin(sql_));
        TRY(sql_.query("select setval('quarry.id', $1, false), setval('quarry.token', $1, false)",
                       db::PgValues(next_id)));
        TRY(sql_.execute(put_in_line));
        // Rows of past days have no partitions of their own.
        TRY(
            sql_.execute("select quarry.set_apart('done', 'finished_at'), quarry.set_apart('request', 'at'), "
                         "quarry.set_apart('operation', 'at')"));
        TRY(transaction.commit());
        return sql_.execute("analyze");
    }

    Result<std::uint64_t> salt() override {
        const auto rows = TRY(sql_.query("select value from quarry.meta where name = 'salt'"));
        return static_cast<std::uint64_t>(rows.empty() ? 0 : rows.integer(0, 0));
    }
    // In other stores tokens are ids.
    Result<std::int64_t> next_id() override {
        return TRY(sql_.query("select greatest(nextval('quarry.id'), nextval('quarry.token'))"))
            .integer(0, 0);
    }

    Result<std::vector<std::string>> columns(const TransferTable& table) override {
        std::vector<std::string> names;
        for (const auto& [name, form] : TRY(forms_of(table))) names.push_back(name);
        return names;
    }

    Result<std::int64_t> count(const TransferTable& table) override {
        return TRY(sql_.query(fmt::format("select count(*) from {} as rows", relation(table)))).integer(0, 0);
    }
    Result<std::int64_t> last_key(const TransferTable& table) override {
        return TRY(sql_.query(fmt::format("select max({}) from {} as rows", table.key, relation(table))))
            .integer(0, 0);
    }

    Result<std::vector<Cells>> read(const TransferTable& table, const std::vector<std::string>& columns,
                                    std::int64_t after, int limit) override {
        const auto forms = TRY(forms_of(table));
        const std::string select = fmt::format("select {}{} from {} as rows", fmt::join(columns, ", "),
                                               table.is_words ? ", html_packed" : "", relation(table));
        const db::PgRows found =
            *table.key == '\0'
                ? TRY(sql_.query(select))
                : TRY(sql_.query(fmt::format("{0} where {1} > $1 order by {1} limit $2", select, table.key),
                                 db::PgValues(after, limit)));
        std::vector<Cells> rows;
        for (int number = 0; number < found.size(); ++number) {
            Cells& row = rows.emplace_back();
            for (std::size_t column = 0; column < columns.size(); ++column)
                row.push_back(cell_at(db::PgRow(found, number), static_cast<int>(column),
                                      form_of(forms, columns[column])));
            if (table.is_words) TRY(unpack_html(db::PgRow(found, number), columns, row));
        }
        return rows;
    }

    // One array a column.
    Result<void> write(const TransferTable& table, const std::vector<std::string>& columns,
                       const std::vector<Cells>& rows) override {
        const auto forms = TRY(forms_of(table));
        const bool is_job = std::string_view(table.name) == "job";
        db::PgTransaction transaction = TRY(db::PgTransaction::begin(sql_));
        if (*table.key == '\0') TRY(sql_.execute(fmt::format("delete from quarry.{}", table.name)));
        db::PgValues values;
        std::vector<std::string> selected, arrays, names;
        for (std::size_t column = 0; column < columns.size(); ++column) {
            const Form form = form_of(forms, columns[column]);
            add_array(values, rows, column, form);
            arrays.push_back(fmt::format("${}::{}[]", column + 1, type_of(form)));
            names.push_back(columns[column]);
            selected.push_back(columns[column] + (form == Form::yes_no ? " <> 0" : ""));
        }
        std::string target = table.name;
        std::vector<std::string> inserted = columns;
        if (is_job) {
            target = "parked";
            const auto state =
                static_cast<std::size_t>(std::ranges::find(columns, "state") - columns.begin());
            inserted[state] = "reason";
            selected[state] = "case when state = 5 then 4 when run_at is not null then 1 else 3 end";
        }
        TRY(sql_.query(
            fmt::format("insert into quarry.{} ({}) overriding system value select {} from unnest({}) as "
                        "rows({})",
                        target, fmt::join(inserted, ", "), fmt::join(selected, ", "), fmt::join(arrays, ", "),
                        fmt::join(names, ", ")),
            values));
        return transaction.commit();
    }

private:
    using Forms = std::map<std::string, Form>;  // by name, in their order

    static std::string relation(const TransferTable& table) {
        const std::string_view name = table.name;
        return name == "job" ? std::string(jobs_of_all_tables) : fmt::format("quarry.{}", name);
    }
    static Form form_of(const Forms& forms, const std::string& column) {
        const auto found = forms.find(column);
        return found == forms.end() ? Form::text : found->second;
    }
    static const char* type_of(Form form) {
        switch (form) {
            case Form::number:
            case Form::yes_no: return "int8";
            case Form::text: return "text";
            case Form::bytes: return "bytea";
        }
        return "text";
    }

    Result<Forms> forms_of(const TransferTable& table) {
        const std::string_view name = table.name;
        const auto rows =
            TRY(sql_.query("select column_name::text, data_type::text from information_schema.columns "
                           "where table_schema = 'quarry' and table_name = $1 and is_generated = 'NEVER'",
                           db::PgValues(name == "job" ? std::string_view("parked") : name)));
        Forms forms;
        for (int row = 0; row < rows.size(); ++row) {
            std::string column(rows.text(row, 0));
            const std::string_view type = rows.text(row, 1);
            if (is_derived(name, column) || (name == "job" && column == "turn")) continue;
            if (name == "job" && column == "reason") column = "state";
            forms[column] = type == "boolean" ? Form::yes_no
                            : type == "bytea" ? Form::bytes
                            : type == "text"  ? Form::text
                                              : Form::number;
        }
        return forms;
    }

    static Cell cell_at(const db::PgRow& row, int column, Form form) {
        if (row.is_null(column)) return {};
        if (form == Form::number || form == Form::yes_no) return row.integer(column);
        return std::string(row.text(column));
    }

    // For rows that an older program wrote.
    static Result<void> unpack_html(const db::PgRow& found, const std::vector<std::string>& columns,
                                    Cells& row) {
        const auto packed = static_cast<int>(columns.size());
        if (found.is_null(packed)) return {};
        const auto place = static_cast<std::size_t>(std::ranges::find(columns, "html") - columns.begin());
        row.at(place) = db::to_pg_text(TRY(db::unpack_text(found.text(packed))));
        return {};
    }

    static void add_array(db::PgValues& values, const std::vector<Cells>& rows, std::size_t column,
                          Form form) {
        db::PgIntegers numbers;
        db::PgTexts texts;
        for (const Cells& row : rows) {
            const auto* number = std::get_if<std::int64_t>(&row[column]);
            const auto* text = std::get_if<std::string>(&row[column]);
            numbers.push_back(number ? std::optional(*number) : std::nullopt);
            texts.push_back(text ? std::optional<std::string_view>(*text) : std::nullopt);
        }
        if (form == Form::text) {
            values.add(texts);
        } else if (form == Form::bytes) {
            values.add(db::PgBlobs{std::move(texts)});
        } else {
            values.add(numbers);
        }
    }

    db::PgConnection sql_;
};

}  // namespace

Result<std::unique_ptr<TransferEnd>> open_postgres_end(const std::string& url) {
    return std::make_unique<PostgresEnd>(TRY(db::PgConnection::open({.url = url})));
}

}  // namespace quarry::store
