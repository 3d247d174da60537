// PostgreSQL over libpq: connections close themselves, transactions roll back unless committed, and failures
// are values. This layer knows no nouns of quarry. One thread at a time uses a connection; a PgPool shares
// several. A PgListener hears what other sessions NOTIFY. It needs a session of its own, and hears nothing
// behind a pooler. The only state that other connections leave at the server is their prepared statements, so
// a pooler between transactions (PgBouncer) can be used: set PgConfig::pooled.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/descriptors.h"
#include "base/result.h"
#include "db/pool.h"
#include "db/postgres/values.h"

struct pg_cancel;
struct pg_conn;

namespace quarry::db {

struct PgConfig {
    std::string url{};  // postgres://user:password@host/database, or what else libpq takes
    std::chrono::seconds connect_timeout{5};
    // A statement that takes longer is given up together with its connection: the server may be frozen.
    std::chrono::milliseconds statement_timeout{60'000};
    // The server rolls back a transaction whose client says nothing for so long: a process that was frozen or
    // cut off must not keep others waiting. Behind a pooler, the server itself has to be configured.
    std::chrono::milliseconds idle_in_transaction{10'000};
    // A pooler between quarry and the server hands each transaction to another session, so statements are not
    // prepared.
    bool pooled = false;
    // Statements that begin each session. They are not sent through a pooler.
    std::string session_settings{};
};

// Written once, as a constant. Prepared under its name when a connection first runs it.
struct PgStatement {
    const char* name;
    const char* sql;
};

// What went wrong last on a connection, for the code that has to react.
enum class PgFailure : std::uint8_t {
    none,
    lost,    // the connection is gone: whether the work was done is not known
    retry,   // deadlock or serialisation: the same transaction, begun anew, may succeed
    unique,  // a unique key is taken
    other,
};

class PgConnection {
public:
    // Fails with `invalid_argument` for an invalid URL, otherwise with `unavailable`. No message contains the
    // password.
    static Result<PgConnection> open(const PgConfig& config);
    PgConnection(PgConnection&&) noexcept = default;
    PgConnection& operator=(PgConnection&&) noexcept = default;

    Result<PgRows> run(const PgStatement& statement, const PgValues& values = {});
    // For use within a transaction. The statement runs before the next one, in one round trip with it. If
    // this statement fails, so does the next one. Values that it borrows are copied.
    void later(const PgStatement& statement, PgValues values);
    // For SQL that is made while the program runs. It is parsed each time.
    Result<PgRows> query(const std::string& sql, const PgValues& values = {});
    // One or more statements without values or rows.
    Result<void> execute(const std::string& sql);

    // Ends a COPY that `execute` has begun (pg_copy.h).
    Result<PgRows> end_copy();

    bool is_open() const;
    PgFailure failure() const { return failure_; }  // of the last call
    // "database app on db.example, port 5432": for messages.
    const std::string& place() const { return place_; }
    pg_conn* handle() { return handle_.get(); }
    std::chrono::milliseconds statement_timeout() const { return config_.statement_timeout; }

private:
    friend class PgBatch;
    friend class PgTransaction;
    struct Close {
        void operator()(pg_conn* handle) const;
    };

    struct Entry {
        PgStatement statement;
        PgValues own{};
        const PgValues* borrowed = nullptr;  // if set, instead of its own
        const PgValues& values() const { return borrowed ? *borrowed : own; }
    };

    explicit PgConnection(PgConfig config) : config_(std::move(config)) {}
    // In one round trip with what was to be done later.
    Result<PgRows> run_behind(const PgStatement& statement, const PgValues& values);
    bool is_named(const PgStatement& statement) const { return !config_.pooled && statement.name; }
    Result<PgRows> answer();
    pg_result* next_result();  // nullptr at the end, or when time is up: then the connection is closed
    Error lost();
    Error error_of(const pg_result* result);

    PgConfig config_;
    std::unique_ptr<pg_conn, Close> handle_;
    std::string place_;
    std::unordered_set<std::string_view> prepared_;  // names are constants
    std::vector<Entry> later_;
    PgFailure failure_ = PgFailure::none;
};

// Ends what a connection waits for, from any thread. The wait then fails. A PgCancel may outlive its
// connection.
class PgCancel {
public:
    explicit PgCancel(PgConnection& connection);
    void now() const;

private:
    struct Free {
        void operator()(pg_cancel* cancel) const;
    };
    std::unique_ptr<pg_cancel, Free> cancel_;  // nothing if the connection was lost
};

// Several statements in one round trip. They are one transaction unless they say otherwise: when one fails,
// those after it do not run. What their values borrow must live until `run`.
class PgBatch {
public:
    explicit PgBatch(PgConnection& connection) : connection_(connection) {}

    // Returns its number among the answers.
    std::size_t add(const PgStatement& statement, PgValues values = {});
    std::size_t add(const char* sql) { return add(PgStatement{nullptr, sql}); }
    bool empty() const { return queue_.empty(); }

    // The answers in order, or the first error. The batch is empty afterwards.
    Result<std::vector<PgRows>> run();

private:
    friend class PgConnection;
    // What each answer is to: a statement, or its preparation on the way, which has a name.
    using Plan = std::vector<const char*>;
    bool send(Plan& plan);
    Result<std::vector<PgRows>> receive(const Plan& plan);

    PgConnection& connection_;
    std::vector<PgConnection::Entry> queue_;
};

// A transaction that is rolled back unless it is committed.
class PgTransaction {
public:
    // `settings`: more statements to run first, such as "set local synchronous_commit = off".
    static Result<PgTransaction> begin(PgConnection& connection, const std::string& settings = {});
    // Takes over a transaction that the caller has begun.
    static PgTransaction adopt(PgConnection& connection) { return PgTransaction(connection); }
    PgTransaction(PgTransaction&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
    ~PgTransaction();
    Result<void> commit();

private:
    explicit PgTransaction(PgConnection& connection) : connection_(&connection) {}

    PgConnection* connection_;
};

// What PostgreSQL's errors mean for quarry, and how its messages report them.

// By the first letters of the SQLSTATE (PostgreSQL manual, appendix A).
PgFailure pg_failure_of(std::string_view sqlstate);
ErrorCode pg_code_of(std::string_view sqlstate);

// A sentence: what happened, to which database, and what to do about it.
std::string pg_message(std::string_view sqlstate, std::string_view said, const std::string& place);

// Where a URL leads, without its password: "database app on db.example, port 5432". Fails with
// `invalid_argument` if the URL is invalid.
Result<std::string> pg_place_of(const std::string& url);

// A connection that hears what other sessions NOTIFY. It needs a session of its own. Behind a pooler it hears
// nothing, so callers that rely on it poll as well.

struct PgNotification {
    std::string channel{};
    std::string payload{};
    int sender = 0;  // the server's process id of the session that sent it
};

class PgListener {
public:
    // `channel` is an identifier.
    static Result<PgListener> open(const PgConfig& config, const std::string& channel);

    // Returns what has arrived, as soon as there is something, after `at_most`, or when woken. Fails with
    // `unavailable` once the connection is lost: the caller has to open another.
    Result<std::vector<PgNotification>> wait(std::chrono::milliseconds at_most, int wake_descriptor = -1);

private:
    explicit PgListener(PgConnection connection) : connection_(std::move(connection)) {}
    PgConnection connection_;
};

// Connections to one PostgreSQL, shared by threads.

using PgPool = Pool<PgConnection, PgConfig>;

}  // namespace quarry::db
