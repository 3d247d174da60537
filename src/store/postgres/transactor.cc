#include "store/postgres/transactor.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "store/rows/columns.h"

namespace quarry::store::postgres {

namespace {

constexpr db::PgStatement write_witness_sql{"write_witness", R"sql(
    insert into quarry.witness(slot, count, at) values ($1, $2, $3)
    on conflict (slot) do update set count = excluded.count, at = excluded.at)sql"};
constexpr db::PgStatement read_witness_sql{"read_witness",
                                           "select 1 from quarry.witness where slot = $1 and count = $2"};
constexpr db::PgStatement status_sql{"transaction_status",
                                     "select coalesce(pg_xact_status($1::xid8) = 'in progress', false)"};
constexpr db::PgStatement end_transaction_sql{"end_transaction", R"sql(
    select pg_terminate_backend(pid) from pg_stat_activity
    where backend_xid = $1::xid8::xid and pid <> pg_backend_pid())sql"};

std::int64_t random_number() {
    thread_local std::mt19937_64 random(std::random_device{}());
    return static_cast<std::int64_t>(random() >> 2) + 1;
}

}  // namespace

Witnessed Witnesses::write(db::PgConnection& connection, std::string transaction, Timestamp now) {
    Slot slot = free_.with([](auto& slots) {
        if (slots.empty()) return Slot{.id = random_number()};
        const Slot last = slots.back();
        slots.pop_back();
        return last;
    });
    ++slot.count;
    connection.later(write_witness_sql, db::PgValues(slot.id, slot.count, column_of(now)));
    return {.slot = slot.id, .count = slot.count, .transaction = std::move(transaction)};
}

void Witnesses::give_back(const Witnessed& witnessed) {
    free_.with([&](auto& slots) { slots.push_back({witnessed.slot, witnessed.count}); });
}

Result<bool> Witnesses::tells_of(db::PgConnection& connection, const Witnessed& witnessed) {
    return !TRY(connection.run(read_witness_sql, db::PgValues(witnessed.slot, witnessed.count))).empty();
}

Result<bool> is_running(db::PgConnection& connection, const std::string& transaction) {
    if (transaction.empty()) return false;
    const auto rows = connection.run(status_sql, db::PgValues(transaction));
    if (rows) return rows->boolean(0, 0);
    // The server does not know this number: it has crashed since and lost it.
    if (connection.is_open() && connection.failure() == db::PgFailure::other) return false;
    return std::unexpected(rows.error());
}

Result<void> end_transaction(db::PgConnection& connection, const std::string& transaction) {
    TRY(connection.run(end_transaction_sql, db::PgValues(transaction)));
    return {};
}

namespace {

using namespace std::chrono_literals;

constexpr db::PgStatement begin_sql{"begin", "begin"};
constexpr db::PgStatement set_clock_sql{"set_clock",
                                        "select set_config('quarry.now', $1::bigint::text, true)"};
// Hot tables are small except for dead rows that cannot be vacuumed yet, which the planner does not know of:
// a plan made after a table was analysed would read all of them. The values of a statement tell the planner
// nothing that would be worth a new plan each time; planning takes longer than running most statements.
constexpr const char* session_settings =
    "set enable_seqscan = off; set jit = off; set plan_cache_mode = force_generic_plan";
// A pooler keeps no settings from one transaction to the next.
#define SETTINGS_OF_TRANSACTION                                                                \
    ", set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true), set_config(" \
    "'plan_cache_mode', 'force_generic_plan', true)"

#define TIME "select quarry.now_ms()"
// A caller that waits for a transaction has to know its number before the commit is sent (transactor.h).
#define TIME_AND_NUMBER TIME ", pg_current_xact_id()::text"
constexpr int number_column = 1;
#define TIME_WITHOUT_SYNC TIME ", set_config('synchronous_commit', 'off', true)"

struct Settings {
    db::PgStatement own, pooled;  // the session is ours, or a pooler's
};
constexpr Settings settings_later{{"settings_later", TIME_WITHOUT_SYNC},
                                  {nullptr, TIME_WITHOUT_SYNC SETTINGS_OF_TRANSACTION}};
constexpr Settings settings_before{{"settings_before", TIME_AND_NUMBER},
                                   {nullptr, TIME_AND_NUMBER SETTINGS_OF_TRANSACTION}};
constexpr Settings settings_fenced{{"settings", TIME}, {nullptr, TIME SETTINGS_OF_TRANSACTION}};
// The files of a folder are compiled together, and other files may want these names.
#undef TIME_WITHOUT_SYNC
#undef TIME_AND_NUMBER
#undef TIME
#undef SETTINGS_OF_TRANSACTION

const Settings& settings_for(Durability durability) {
    switch (durability) {
        case Durability::later: return settings_later;
        case Durability::before: return settings_before;
        case Durability::fenced: break;
    }
    return settings_fenced;
}

db::PgConfig with_settings(db::PgConfig config) {
    config.session_settings = session_settings;
    return config;
}

constexpr auto longest_question = 10s;

}  // namespace

Transactor::Transactor(const db::PgConfig& config, int connections, const StoreLimits& limits,
                       const Clock* clock, Tell tell)
    : pool_(with_settings(config), connections),
      is_pooled_(config.pooled),
      process_(config, limits),
      clock_(clock),
      tell_(std::move(tell)) {}

Timestamp Transactor::now() const {
    if (clock_) return clock_->now();
    return wall_clock_.now() + std::chrono::milliseconds(offset_ms_.load());
}

std::size_t Transactor::add_settings(db::PgBatch& batch, Durability durability) const {
    if (clock_) batch.add(set_clock_sql, db::PgValues(column_of(clock_->now())));
    const Settings& settings = settings_for(durability);
    return batch.add(is_pooled_ ? settings.pooled : settings.own);
}

Result<Transactor::Begun> Transactor::begin(db::PgConnection& connection, Durability durability,
                                            const Opening& opening) {
    db::PgBatch batch(connection);
    batch.add(begin_sql);
    const std::size_t place = add_settings(batch, durability);
    if (opening) opening(batch);
    auto answers = TRY(batch.run());
    const Timestamp now = time_of(answers[place].integer(0, 0));
    set_clock(now);
    std::string number;
    if (durability == Durability::before) number = answers[place].text(0, number_column);
    answers.erase(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    return Begun{now, std::move(number), std::move(answers)};
}

Transactor::Attempt Transactor::failed(db::PgConnection& connection, Error error) {
    const db::PgFailure failure = connection.failure();
    // If another transaction took the unique key meanwhile, the next attempt sees that.
    const bool may_retry =
        failure == db::PgFailure::retry || failure == db::PgFailure::unique || failure == db::PgFailure::lost;
    return {.may_retry = may_retry, .error = std::move(error)};
}

Transactor::Attempt Transactor::try_once(Durability durability, const Opening& opening, const Body& body) {
    auto connection = pool_.borrow();
    if (!connection) return {.error = connection.error()};
    db::PgConnection& sql = **connection;
    db::PgTransaction transaction = db::PgTransaction::adopt(sql);
    auto begun = begin(sql, durability, opening);
    if (!begun) return failed(sql, begun.error());
    Ledger ledger(sql, process_, begun->now, std::move(begun->answers));
    ledger.set_transaction(std::move(begun->transaction));
    const Result<bool> accepted = body(ledger);
    if (!accepted) return failed(sql, accepted.error());
    if (!*accepted) return {.is_done = true};
    if (auto written = ledger.before_commit(); !written) return failed(sql, written.error());
    Attempt committed = commit(ledger, transaction, durability);
    if (!committed.is_done) return committed;
    ledger.after_commit();
    tell_(ledger.events(), ledger.news());
    return committed;
}

// If no answer to the commit arrives, the transaction may or may not have been committed.
Transactor::Attempt Transactor::commit(Ledger& ledger, db::PgTransaction& transaction,
                                       Durability durability) {
    db::PgConnection& connection = ledger.sql();
    std::optional<Witnessed> witnessed;
    if (durability == Durability::before)
        witnessed = witnesses_.write(connection, ledger.transaction(), ledger.now());
    auto committed = transaction.commit();
    if (!committed && connection.failure() == db::PgFailure::lost && witnessed)
        return ask_what_became(*witnessed, std::move(committed).error());
    if (witnessed) witnesses_.give_back(*witnessed);
    if (!committed) return failed(connection, std::move(committed).error());
    return {.is_done = true};
}

Transactor::CommitResult Transactor::commit_result_of(const Witnessed& witnessed) {
    auto connection = pool_.borrow();
    if (!connection) return CommitResult::unknown;
    const auto running = is_running(**connection, witnessed.transaction);
    if (running && *running) (void)end_transaction(**connection, witnessed.transaction);
    if (!running || *running) return CommitResult::unknown;
    const auto told = witnesses_.tells_of(**connection, witnessed);
    if (!told) return CommitResult::unknown;
    return *told ? CommitResult::committed : CommitResult::lost;
}

Transactor::Attempt Transactor::ask_what_became(const Witnessed& witnessed, Error error) {
    const auto end = std::chrono::steady_clock::now() + longest_question;
    while (std::chrono::steady_clock::now() < end) {
        const CommitResult transition = commit_result_of(witnessed);
        if (transition != CommitResult::unknown) witnesses_.give_back(witnessed);
        if (transition == CommitResult::committed) return {.is_done = true};
        if (transition == CommitResult::lost) return {.may_retry = true, .error = std::move(error)};
        std::this_thread::sleep_for(100ms);
    }
    error.message += "; whether the last change was made is not known";
    return {.error = std::move(error)};
}

void Transactor::pause(int attempt) {
    thread_local std::minstd_rand random(std::random_device{}());
    const int most = std::min(1 << attempt, 64);
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % static_cast<unsigned>(most)));
}

}  // namespace quarry::store::postgres
