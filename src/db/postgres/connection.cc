#include "db/postgres/connection.h"

#include <array>
#include <cerrno>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

namespace quarry::db {

namespace {

struct Meaning {
    std::string_view prefix;
    PgFailure failure;
    ErrorCode code;
    std::string_view advice;
};

// The first row that fits counts.
constexpr std::array meanings = {
    Meaning{"40001", PgFailure::retry, ErrorCode::unavailable, "try again"},
    Meaning{"40P01", PgFailure::retry, ErrorCode::unavailable, "try again"},
    // A row on its way to a default partition while another one was attached for it: it will find that.
    Meaning{"23514", PgFailure::retry, ErrorCode::unavailable, "try again"},
    Meaning{"23505", PgFailure::unique, ErrorCode::conflict, ""},
    Meaning{"55P03", PgFailure::other, ErrorCode::timeout, ""},
    Meaning{"57014", PgFailure::other, ErrorCode::timeout, ""},
    Meaning{"57P0", PgFailure::lost, ErrorCode::unavailable, "it is stopping or starting: try again"},
    Meaning{"25P03", PgFailure::lost, ErrorCode::unavailable, "this process was not heard of for too long"},
    Meaning{"08", PgFailure::lost, ErrorCode::unavailable, "is it running, and can it be reached?"},
    Meaning{"53300", PgFailure::lost, ErrorCode::unavailable,
            "it has no connection left: raise max_connections, or use fewer processes"},
    Meaning{"53100", PgFailure::other, ErrorCode::unavailable, "its disk is full: free some space"},
    Meaning{"53", PgFailure::other, ErrorCode::unavailable, "it lacks resources"},
    Meaning{"58", PgFailure::other, ErrorCode::unavailable, "look into its log"},
    Meaning{"28", PgFailure::other, ErrorCode::unavailable, "check the user and the password"},
    Meaning{"3D000", PgFailure::other, ErrorCode::unavailable, "create the database first (createdb)"},
    Meaning{"42501", PgFailure::other, ErrorCode::refused, "grant the user what it needs"},
    Meaning{"25006", PgFailure::other, ErrorCode::unavailable,
            "it is read-only: connect to the primary (target_session_attrs=read-write)"},
    Meaning{"XX001", PgFailure::other, ErrorCode::corrupt, "the database is damaged"},
    Meaning{"XX002", PgFailure::other, ErrorCode::corrupt, "an index is damaged: REINDEX"},
};

const Meaning* meaning_of(std::string_view sqlstate) {
    for (const Meaning& meaning : meanings) {
        if (sqlstate.starts_with(meaning.prefix)) return &meaning;
    }
    return nullptr;
}

// libpq ends its messages with a newline, and says the same thing for each address it tried.
std::string_view first_line(std::string_view said) {
    return said.substr(0, said.find('\n'));
}

}  // namespace

PgFailure pg_failure_of(std::string_view sqlstate) {
    const Meaning* meaning = meaning_of(sqlstate);
    return meaning ? meaning->failure : PgFailure::other;
}

ErrorCode pg_code_of(std::string_view sqlstate) {
    const Meaning* meaning = meaning_of(sqlstate);
    return meaning ? meaning->code : ErrorCode::invalid_argument;
}

std::string pg_message(std::string_view sqlstate, std::string_view said, const std::string& place) {
    const Meaning* meaning = meaning_of(sqlstate);
    std::string message = fmt::format("PostgreSQL ({}): {}", place, first_line(said));
    if (meaning && !meaning->advice.empty()) message += fmt::format("; {}", meaning->advice);
    return message;
}

Result<std::string> pg_place_of(const std::string& url) {
    // What libpq says of a URL that it cannot read may have the password in it.
    const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(
        PQconninfoParse(url.c_str(), nullptr), PQconninfoFree);
    if (!options) {
        return fail(ErrorCode::invalid_argument,
                    "the address of the database cannot be read: write postgres://user@host:5432/database, "
                    "with %XX for special characters in a password");
    }
    std::map<std::string_view, std::string> values;
    for (const PQconninfoOption* option = options.get(); option->keyword; ++option) {
        if (option->val) values[option->keyword] = option->val;
    }
    const auto value = [&](std::string_view name, std::string_view otherwise) {
        const auto found = values.find(name);
        return found == values.end() ? std::string(otherwise) : found->second;
    };
    const std::string host = value("host", value("hostaddr", "this machine"));
    return fmt::format("database {} on {}, port {}", value("dbname", value("user", "?")), host,
                       value("port", "5432"));
}

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

// A cut network is noticed in seconds: when there is something to send, and when there is not.
constexpr std::array keywords = {"dbname",          "connect_timeout",     "tcp_user_timeout",
                                 "keepalives_idle", "keepalives_interval", "keepalives_count",
                                 "client_encoding", "application_name",    static_cast<const char*>(nullptr)};

struct FreeText {
    void operator()(char* text) const { PQfreemem(text); }
};

void ignore_notice(void*, const pg_result*) {}

// True if there is something to read before the end.
bool wait_for_input(int socket, SteadyTime end) {
    while (true) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
        if (left <= 0) return false;
        pollfd descriptor{.fd = socket, .events = POLLIN, .revents = 0};
        const int ready = poll(&descriptor, 1, static_cast<int>(std::min<std::int64_t>(left, 3'600'000)));
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
    }
}

bool is_good(ExecStatusType status) {
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY ||
           status == PGRES_COPY_IN;
}

std::string_view text_of(const char* text) {
    return text ? text : "";
}

}  // namespace

PgCancel::PgCancel(PgConnection& connection) : cancel_(PQgetCancel(connection.handle())) {}

void PgCancel::Free::operator()(pg_cancel* cancel) const {
    PQfreeCancel(cancel);
}

void PgCancel::now() const {
    char error[256];
    if (cancel_) (void)PQcancel(cancel_.get(), error, sizeof error);
}

void PgConnection::Close::operator()(pg_conn* handle) const {
    PQfinish(handle);
}

Result<PgConnection> PgConnection::open(const PgConfig& config) {
    PgConnection connection(config);
    connection.place_ = TRY(pg_place_of(config.url));
    const std::string timeout = std::to_string(config.connect_timeout.count());
    const std::array values = {config.url.c_str(),
                               timeout.c_str(),
                               "10000",
                               "5",
                               "2",
                               "3",
                               "UTF8",
                               "quarry",
                               static_cast<const char*>(nullptr)};
    static_assert(values.size() == keywords.size());
    // What the URL says comes first in it, but later keywords win: these are ours to choose.
    connection.handle_.reset(PQconnectdbParams(keywords.data(), values.data(), 1));
    if (!connection.is_open()) {
        connection.failure_ = PgFailure::lost;
        return fail(ErrorCode::unavailable, connection.lost().message);
    }
    PQsetNoticeReceiver(connection.handle_.get(), ignore_notice, nullptr);
    if (!config.pooled)
        TRY(connection.execute(fmt::format("set idle_in_transaction_session_timeout = {}; {}",
                                           config.idle_in_transaction.count(), config.session_settings)));
    return connection;
}

bool PgConnection::is_open() const {
    return handle_ && PQstatus(handle_.get()) == CONNECTION_OK;
}

Error PgConnection::lost() {
    failure_ = PgFailure::lost;
    const std::string_view said = handle_ ? text_of(PQerrorMessage(handle_.get())) : "not connected";
    return {ErrorCode::unavailable, pg_message("08006", said, place_)};
}

Error PgConnection::error_of(const pg_result* result) {
    const std::string_view state = text_of(PQresultErrorField(result, PG_DIAG_SQLSTATE));
    const std::string_view said = text_of(PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
    if (state.empty() || !is_open()) return lost();
    failure_ = pg_failure_of(state);
    return {pg_code_of(state), pg_message(state, said, place_)};
}

pg_result* PgConnection::next_result() {
    const auto end = std::chrono::steady_clock::now() + config_.statement_timeout;
    while (PQisBusy(handle_.get())) {
        if (!wait_for_input(PQsocket(handle_.get()), end)) {
            handle_.reset();
            return nullptr;
        }
        if (!PQconsumeInput(handle_.get())) break;
    }
    return PQgetResult(handle_.get());
}

// The last result of a statement, or the first error among them.
Result<PgRows> PgConnection::answer() {
    PgRows rows;
    std::optional<Error> error;
    while (pg_result* result = next_result()) {
        PgRows next(result);
        const ExecStatusType status = PQresultStatus(result);
        if (!is_good(status) && !error) error = error_of(result);
        rows = std::move(next);
        if (status == PGRES_COPY_IN) break;
    }
    if (!handle_) {
        failure_ = PgFailure::lost;
        return fail(ErrorCode::timeout, fmt::format("PostgreSQL ({}) has not answered for {} s", place_,
                                                    config_.statement_timeout.count() / 1000));
    }
    if (error) return std::unexpected(*std::move(error));
    return rows;
}

void PgConnection::later(const PgStatement& statement, PgValues values) {
    values.keep();
    later_.push_back({statement, std::move(values)});
}

Result<PgRows> PgConnection::run_behind(const PgStatement& statement, const PgValues& values) {
    PgBatch batch(*this);
    batch.queue_.push_back({.statement = statement, .borrowed = &values});
    std::vector<PgRows> answers = TRY(batch.run());
    return std::move(answers.back());
}

Result<PgRows> PgConnection::run(const PgStatement& statement, const PgValues& values) {
    if (!later_.empty()) return run_behind(statement, values);
    if (!is_named(statement)) return query(statement.sql, values);
    failure_ = PgFailure::none;
    if (!is_open()) return std::unexpected(lost());
    if (!prepared_.contains(statement.name)) {
        // The types of values are said when it is prepared.
        if (!PQsendPrepare(handle_.get(), statement.name, statement.sql, values.size(), values.types()))
            return std::unexpected(lost());
        TRY(answer());
        prepared_.insert(statement.name);
    }
    if (!PQsendQueryPrepared(handle_.get(), statement.name, values.size(), values.values(), values.lengths(),
                             values.formats(), 1)) {
        return std::unexpected(lost());
    }
    return answer();
}

Result<PgRows> PgConnection::query(const std::string& sql, const PgValues& values) {
    if (!later_.empty()) return run_behind({nullptr, sql.c_str()}, values);
    failure_ = PgFailure::none;
    if (!is_open()) return std::unexpected(lost());
    if (!PQsendQueryParams(handle_.get(), sql.c_str(), values.size(), values.types(), values.values(),
                           values.lengths(), values.formats(), 1)) {
        return std::unexpected(lost());
    }
    return answer();
}

Result<void> PgConnection::execute(const std::string& sql) {
    if (!later_.empty()) TRY(PgBatch(*this).run());
    failure_ = PgFailure::none;
    if (!is_open()) return std::unexpected(lost());
    if (!PQsendQuery(handle_.get(), sql.c_str())) return std::unexpected(lost());
    TRY(answer());
    return {};
}

Result<PgRows> PgConnection::end_copy() {
    failure_ = PgFailure::none;
    if (!is_open() || PQputCopyEnd(handle_.get(), nullptr) != 1) return std::unexpected(lost());
    return answer();
}

std::size_t PgBatch::add(const PgStatement& statement, PgValues values) {
    queue_.push_back({.statement = statement, .own = std::move(values)});
    return queue_.size() - 1;
}

bool PgBatch::send(Plan& plan) {
    pg_conn* handle = connection_.handle();
    std::unordered_set<std::string_view> preparing;
    for (const PgConnection::Entry& entry : queue_) {
        const PgValues& values = entry.values();
        const char* name = entry.statement.name;
        bool is_sent = false;
        if (!connection_.is_named(entry.statement)) {
            is_sent = PQsendQueryParams(handle, entry.statement.sql, values.size(), values.types(),
                                        values.values(), values.lengths(), values.formats(), 1);
        } else {
            if (!connection_.prepared_.contains(name) && preparing.insert(name).second) {
                plan.push_back(name);
                if (!PQsendPrepare(handle, name, entry.statement.sql, values.size(), values.types()))
                    return false;
            }
            is_sent = PQsendQueryPrepared(handle, name, values.size(), values.values(), values.lengths(),
                                          values.formats(), 1);
        }
        if (!is_sent) return false;
        plan.push_back(nullptr);
    }
    return PQpipelineSync(handle) != 0;
}

// Each answer's results end with a null. What was prepared stays so when something after it fails.
Result<std::vector<PgRows>> PgBatch::receive(const Plan& plan) {
    std::vector<PgRows> rows;
    std::optional<Error> error;
    for (const char* name : plan) {
        while (pg_result* result = connection_.next_result()) {
            PgRows next(result);
            const ExecStatusType status = PQresultStatus(result);
            if (!is_good(status) && status != PGRES_PIPELINE_ABORTED && !error)
                error = connection_.error_of(result);
            if (!name) rows.push_back(std::move(next));
            if (name && is_good(status)) connection_.prepared_.insert(name);
        }
        if (!connection_.is_open()) break;
    }
    if (!error && !connection_.is_open()) error = connection_.lost();
    if (error) return std::unexpected(*std::move(error));
    return rows;
}

Result<std::vector<PgRows>> PgBatch::run() {
    connection_.failure_ = PgFailure::none;
    if (!connection_.is_open()) return std::unexpected(connection_.lost());
    auto before = std::exchange(connection_.later_, {});
    const auto count_before = static_cast<std::ptrdiff_t>(before.size());
    queue_.insert(queue_.begin(), std::make_move_iterator(before.begin()),
                  std::make_move_iterator(before.end()));
    Plan plan;
    if (!PQenterPipelineMode(connection_.handle()) || !send(plan)) return std::unexpected(connection_.lost());
    queue_.clear();
    Result<std::vector<PgRows>> received = receive(plan);
    if (connection_.is_open()) {
        PQclear(connection_.next_result());  // of the sync
        PQexitPipelineMode(connection_.handle());
    }
    if (received) received->erase(received->begin(), received->begin() + count_before);
    return received;
}

Result<PgTransaction> PgTransaction::begin(PgConnection& connection, const std::string& settings) {
    TRY(connection.execute("begin;" + settings));
    return PgTransaction(connection);
}

PgTransaction::~PgTransaction() {
    if (!connection_) return;
    connection_->later_.clear();
    if (!connection_->is_open()) return;
    if (PQtransactionStatus(connection_->handle()) == PQTRANS_IDLE) return;
    const PgFailure failure = connection_->failure();
    (void)connection_->execute("rollback");
    connection_->failure_ = failure;  // what the caller wants to know
}

Result<void> PgTransaction::commit() {
    // After an error that somebody disregarded, "commit" would roll back and say that all is well.
    if (connection_->is_open() && PQtransactionStatus(connection_->handle()) == PQTRANS_INERROR) {
        return fail(ErrorCode::unavailable, "a statement of the transaction has failed");
    }
    if (connection_->later_.empty()) {
        PgConnection* connection = std::exchange(connection_, nullptr);
        return connection->execute("commit");
    }
    // If something before it fails, the transaction is still there, to be rolled back.
    TRY(connection_->run_behind({nullptr, "commit"}, {}));
    connection_ = nullptr;
    return {};
}

namespace {

std::vector<PgNotification> take_notifications(pg_conn* handle) {
    std::vector<PgNotification> taken;
    while (true) {
        const std::unique_ptr<PGnotify, void (*)(void*)> next(PQnotifies(handle), PQfreemem);
        if (!next) return taken;
        taken.push_back({.channel = next->relname, .payload = next->extra, .sender = next->be_pid});
    }
}

}  // namespace

Result<PgListener> PgListener::open(const PgConfig& config, const std::string& channel) {
    PgConnection connection = TRY(PgConnection::open(config));
    TRY(connection.execute("listen " + channel));
    return PgListener(std::move(connection));
}

Result<std::vector<PgNotification>> PgListener::wait(std::chrono::milliseconds at_most, int wake_descriptor) {
    pg_conn* handle = connection_.handle();
    if (auto taken = take_notifications(handle); !taken.empty()) return taken;
    std::array<pollfd, 2> descriptors = {{{.fd = PQsocket(handle), .events = POLLIN, .revents = 0},
                                          {.fd = wake_descriptor, .events = POLLIN, .revents = 0}}};
    poll(descriptors.data(), descriptors.size(), static_cast<int>(at_most.count()));
    if (!PQconsumeInput(handle)) {
        return fail(ErrorCode::unavailable,
                    "PostgreSQL (" + connection_.place() + "): the connection that listens was lost");
    }
    return take_notifications(handle);
}

}  // namespace quarry::db
