#include "db/sqlite.h"

#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

namespace quarry::db {

namespace {

ErrorCode code_of(int sqlite_code) {
    switch (sqlite_code & 0xff) {
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB: return ErrorCode::corrupt;
        case SQLITE_CONSTRAINT: return ErrorCode::conflict;
        case SQLITE_ERROR:
        case SQLITE_MISUSE:
        case SQLITE_RANGE: return ErrorCode::invalid_argument;
        case SQLITE_TOOBIG: return ErrorCode::too_large;
        case SQLITE_INTERRUPT: return ErrorCode::interrupted;
        default: return ErrorCode::unavailable;
    }
}

std::unexpected<Error> failure(sqlite3* handle, int sqlite_code) {
    const char* file = sqlite3_db_filename(handle, "main");
    std::string message = sqlite3_errmsg(handle);
    // "disk I/O error" alone does not help; the error of the operating system says more.
    if (const int reason = sqlite3_system_errno(handle);
        (sqlite_code & 0xff) == SQLITE_IOERR && reason != 0) {
        message += fmt::format(" ({})", std::error_code(reason, std::system_category()).message());
    }
    return fail(code_of(sqlite_code), file && *file ? fmt::format("{}: {}", file, message) : message);
}

// SQLite would count every byte it allocates, under a lock shared by all connections, and nobody reads the
// count. This must run before any other call to SQLite; later it changes nothing.
void configure_once() {
    [[maybe_unused]] static const int done = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

int flags_of(Access access) {
    switch (access) {
        case Access::create: return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
        case Access::write: return SQLITE_OPEN_READWRITE;
        case Access::read_only: return SQLITE_OPEN_READONLY;
    }
    return SQLITE_OPEN_READONLY;
}

// Only its user may use the database. The files that SQLite puts beside it get the same permissions. In a
// folder that is open to its group, members of the group may read these files. An existing database is never
// opened here: closing it would end the locks that other connections of this process have on it. A failure
// here is ignored: the next open of the database reports it.
void keep_to_its_user(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    struct stat above{};
    const bool is_shared =
        ::stat(folder.c_str(), &above) == 0 && (above.st_mode & 07) == 0 && (above.st_mode & 040) != 0;
    const mode_t wanted = is_shared ? 0640 : 0600;
    const int made = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, wanted);
    if (made >= 0) {
        ::fchmod(made, wanted);
        ::close(made);
        return;
    }
    for (const char* beside : {"", "-wal", "-shm", "-journal"}) {
        const std::string file = path + beside;
        struct stat status{};
        const bool is_ours =
            ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
        if (is_ours && (status.st_mode & 0777 & ~wanted) != 0) ::chmod(file.c_str(), status.st_mode & wanted);
    }
}

// A database that was closed is complete without a log.
bool has_log(const std::string& path) {
    for (const char* beside : {"-wal", "-journal"}) {
        std::error_code error;
        if (const auto bytes = std::filesystem::file_size(path + beside, error); !error && bytes > 0)
            return true;
    }
    return false;
}

// True if a database cannot be read because the files that go with it cannot be made.
bool lacks_room_beside(sqlite3* handle, int code) {
    const int reason = sqlite3_system_errno(handle);
    return (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY ||
           (code & 0xff) == SQLITE_FULL ||
           ((code & 0xff) == SQLITE_IOERR &&
            (reason == ENOSPC || reason == EDQUOT || reason == EROFS || reason == EFBIG));
}

std::string uri_of(const std::string& path) {
    std::string uri = "file:";
    for (const char c : path) {
        if (std::string_view("%?#").contains(c))
            uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
        else
            uri += c;
    }
    return uri + "?immutable=1";
}

std::int64_t nanoseconds_of(const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void prepare_to_read(sqlite3* handle) {
    constexpr int patience_ms = 5'000;
    sqlite3_extended_result_codes(handle, 1);
    sqlite3_busy_timeout(handle, patience_ms);
}

}  // namespace

Statement::~Statement() {
    sqlite3_finalize(statement_);
}

Result<bool> Statement::step() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    auto error = failure(sqlite3_db_handle(statement_), code);
    reset();
    return error;
}

Result<void> Statement::run() {
    while (TRY(step())) {
    }
    reset();
    return {};
}

void Statement::reset() {
    sqlite3_reset(statement_);
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(statement_, column);
}

std::optional<std::int64_t> Statement::optional_integer(int column) const {
    if (is_null(column)) return std::nullopt;
    return integer(column);
}

double Statement::real(int column) const {
    return sqlite3_column_double(statement_, column);
}

std::string_view Statement::text(int column) const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    if (!bytes) return {};
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

bool Statement::is_text(int column) const {
    return sqlite3_column_type(statement_, column) == SQLITE_TEXT;
}

bool Statement::is_null(int column) const {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

void Statement::bind_at(int index, std::int64_t value) {
    sqlite3_bind_int64(statement_, index, value);
}

void Statement::bind_at(int index, double value) {
    sqlite3_bind_double(statement_, index, value);
}

void Statement::bind_at(int index, std::string_view value) {
    // A null pointer would bind NULL, but an empty text is not NULL.
    sqlite3_bind_text64(statement_, index, value.data() ? value.data() : "", value.size(), SQLITE_STATIC,
                        SQLITE_UTF8);
}

void Statement::bind_at(int index, Blob value) {
    sqlite3_bind_blob64(statement_, index, value.bytes.data() ? value.bytes.data() : "", value.bytes.size(),
                        SQLITE_STATIC);
}

void Statement::bind_at(int index, std::nullptr_t) {
    sqlite3_bind_null(statement_, index);
}

Result<Connection> Connection::open(const std::string& path, Access access, const std::string& vfs) {
    std::error_code ignored;
    if (access != Access::create && vfs.empty() && path != ":memory:" &&
        !std::filesystem::exists(path, ignored)) {
        return fail(ErrorCode::not_found, fmt::format("{}: no such database", path));
    }
    configure_once();
    if (access == Access::create && vfs.empty() && path != ":memory:") keep_to_its_user(path);
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &handle, flags_of(access) | SQLITE_OPEN_NOMUTEX,
                                     vfs.empty() ? nullptr : vfs.c_str());
    Connection connection(handle);
    if (code != SQLITE_OK) return fail(code_of(code), fmt::format("{}: {}", path, sqlite3_errstr(code)));
    prepare_to_read(handle);
    // Only the one connection that writes may checkpoint: releases of SQLite before 3.51.3 can lose a commit
    // when a write races a checkpoint of another connection.
    if (access == Access::read_only) {
        sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
        const int read = sqlite3_exec(handle, "PRAGMA schema_version", nullptr, nullptr, nullptr);
        if (read != SQLITE_OK && vfs.empty() && lacks_room_beside(handle, read) && !has_log(path))
            TRY(connection.read_as_it_is(path));
    }
    return connection;
}

Result<void> Connection::read_as_it_is(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return fail(ErrorCode::unavailable, path + ": it has gone");
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(uri_of(path).c_str(), &handle,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, nullptr);
    Connection other(handle);
    if (code != SQLITE_OK) return fail(code_of(code), fmt::format("{}: {}", path, sqlite3_errstr(code)));
    prepare_to_read(handle);
    other.as_it_was_ = {.path = path,
                        .inode = status.st_ino,
                        .bytes = static_cast<std::uint64_t>(status.st_size),
                        .written_at_ns = nanoseconds_of(status.st_mtim)};
    std::swap(*this, other);
    return {};
}

bool Connection::is_outdated() const {
    if (as_it_was_.path.empty()) return false;
    struct stat status{};
    return ::stat(as_it_was_.path.c_str(), &status) != 0 || status.st_ino != as_it_was_.inode ||
           static_cast<std::uint64_t>(status.st_size) != as_it_was_.bytes ||
           nanoseconds_of(status.st_mtim) != as_it_was_.written_at_ns || has_log(as_it_was_.path);
}

Result<void> Connection::follow_writers() {
    if (!is_outdated()) return {};
    const std::string path = as_it_was_.path;
    if (in_transaction())
        return fail(ErrorCode::unavailable, path + " is being written to again: ask once more");
    *this = TRY(open(path, Access::read_only));
    return {};
}

Connection::~Connection() {
    sqlite3_close_v2(handle_);
}

Result<Statement> Connection::prepare(std::string_view sql) {
    TRY(follow_writers());
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) return failure(handle_, code);
    return Statement(statement);
}

Result<void> Connection::execute(std::string_view sql) {
    TRY(follow_writers());
    const int code = sqlite3_exec(handle_, std::string(sql).c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return failure(handle_, code);
    return {};
}

Result<std::optional<std::int64_t>> Connection::integer(std::string_view sql) {
    Statement statement = TRY(prepare(sql));
    if (!TRY(statement.step())) return std::nullopt;
    return statement.integer(0);
}

std::int64_t Connection::changes() const {
    return sqlite3_changes64(handle_);
}

bool Connection::in_transaction() const {
    return sqlite3_get_autocommit(handle_) == 0;
}

Result<void> Connection::copy_to(const std::string& file) {
    std::error_code ignored;
    if (std::filesystem::exists(std::filesystem::symlink_status(file, ignored))) {
        return fail(ErrorCode::conflict, fmt::format("{}: the file exists already", file));
    }
    const auto copy = [&]() -> Result<void> {
        Connection target = TRY(open(file, Access::create));
        sqlite3_backup* backup = sqlite3_backup_init(target.handle_, "main", handle_, "main");
        if (!backup) return failure(target.handle_, sqlite3_errcode(target.handle_));
        sqlite3_backup_step(backup, -1);
        const int code = sqlite3_backup_finish(backup);
        return code == SQLITE_OK ? Result<void>() : failure(target.handle_, code);
    };
    const auto copied = copy();
    // Half a copy is useless, and would be in the way of the next one.
    if (!copied) std::filesystem::remove(file, ignored);
    return copied;
}

Result<bool> Connection::checkpoint(bool all) {
    const int mode = all ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
    const int code = sqlite3_wal_checkpoint_v2(handle_, nullptr, mode, nullptr, nullptr);
    // Busy means that a reader is in the way. The next checkpoint will do more.
    if (code != SQLITE_OK && code != SQLITE_BUSY) return failure(handle_, code);
    return code == SQLITE_OK;
}

void Connection::release_memory() {
    sqlite3_db_release_memory(handle_);
}

void Connection::watch_log(std::size_t& pages) {
    const auto hook = [](void* counter, sqlite3*, const char*, int length) {
        *static_cast<std::size_t*>(counter) = static_cast<std::size_t>(length);
        return SQLITE_OK;
    };
    sqlite3_wal_hook(handle_, hook, &pages);
}

Result<Transaction> Transaction::begin(Connection& connection) {
    TRY(connection.execute("BEGIN IMMEDIATE"));
    return Transaction(connection);
}

Transaction::~Transaction() {
    // Ignored: a rollback fails only if SQLite has rolled back already.
    if (connection_) (void)connection_->execute("ROLLBACK");
}

Result<void> Transaction::commit() {
    TRY(connection_->execute("COMMIT"));
    connection_ = nullptr;
    return {};
}

}  // namespace quarry::db
