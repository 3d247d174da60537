// SQLite with owners: a connection and its statements close themselves, and failures are values. Knows no
// nouns of quarry. A connection and its statements are used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace quarry::db {

// Bytes, where std::string_view means text.
struct Blob {
    std::string_view bytes;
};

// A prepared statement. Bind, step through the rows, reset; or `run` for all three.
class Statement {
public:
    Statement() = default;
    Statement(Statement&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)) {}
    Statement& operator=(Statement&& other) noexcept {
        std::swap(statement_, other.statement_);
        return *this;
    }
    ~Statement();

    // Binds the values to ?1, ?2, … Text and blobs are not copied: they must live until the reset.
    template <typename... Values>
    Statement& bind(const Values&... values) {
        reset();
        int index = 0;
        (bind_at(++index, values), ...);
        return *this;
    }

    // True if there is a row, false at the end.
    Result<bool> step();
    // Runs to the end and resets, disregarding rows.
    Result<void> run();
    void reset();

    std::int64_t integer(int column) const;
    std::optional<std::int64_t> optional_integer(int column) const;
    double real(int column) const;
    std::string_view text(int column) const;  // or blob; valid until the next step or reset; "" if NULL
    bool is_null(int column) const;
    bool is_text(int column) const;  // as it is stored: not a number, nor a blob

    void bind_at(int index, std::int64_t value);
    void bind_at(int index, int value) { bind_at(index, static_cast<std::int64_t>(value)); }
    void bind_at(int index, bool value) { bind_at(index, static_cast<std::int64_t>(value)); }
    void bind_at(int index, double value);
    void bind_at(int index, std::string_view value);
    void bind_at(int index, const std::string& value) { bind_at(index, std::string_view(value)); }
    void bind_at(int index, const char* value) { bind_at(index, std::string_view(value)); }
    void bind_at(int index, Blob value);
    void bind_at(int index, std::nullptr_t);
    template <typename T>
    void bind_at(int index, const std::optional<T>& value) {
        if (value) {
            bind_at(index, *value);
        } else {
            bind_at(index, nullptr);
        }
    }

private:
    friend class Connection;
    explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

    sqlite3_stmt* statement_ = nullptr;
};

enum class Access : std::uint8_t {
    create,  // read and write; made if it is not there
    write,   // read and write; `not_found` if it is not there
    // Never checkpoints either. Where nothing can be written, not even what SQLite puts beside a database to
    // read it, the file is read as it is, until somebody writes to it again.
    read_only,
};

class Connection {
public:
    // `vfs` names another way to the disk, for tests; "" is the standard one. Fails with `not_found`,
    // `unavailable` or `corrupt`.
    static Result<Connection> open(const std::string& path, Access access, const std::string& vfs = {});

    Connection(Connection&& other) noexcept
        : handle_(std::exchange(other.handle_, nullptr)), as_it_was_(std::move(other.as_it_was_)) {}
    Connection& operator=(Connection&& other) noexcept {
        std::swap(handle_, other.handle_);
        std::swap(as_it_was_, other.as_it_was_);
        return *this;
    }
    ~Connection();

    // True if a file that is read as it is was written to since: what was prepared goes on reading what may
    // be torn, and a new connection is needed.
    bool is_outdated() const;

    // Prepared once, used often. A mistake in the SQL is a bug: it fails with `invalid_argument`.
    Result<Statement> prepare(std::string_view sql);
    // Runs one or more statements, disregarding rows.
    Result<void> execute(std::string_view sql);
    // The first column of the first row; nothing if there is no row.
    Result<std::optional<std::int64_t>> integer(std::string_view sql);

    std::int64_t changes() const;  // rows changed by the last statement
    bool in_transaction() const;

    // Copies everything into a new file, page by page, while others go on. `conflict` if the file exists.
    Result<void> copy_to(const std::string& file);

    // Moves the write-ahead log into the file as far as readers allow; with `all`, waits for them and
    // empties the log. False if readers were in the way.
    Result<bool> checkpoint(bool all = false);

    // Gives back the memory of pages that are kept for later; they are read again when they are needed.
    void release_memory();

    // Keeps `pages` at the length of the write-ahead log, as of the last commit of this connection. Turns the
    // automatic checkpoints off. `pages` outlives the connection.
    void watch_log(std::size_t& pages);

    sqlite3* handle() { return handle_; }

private:
    explicit Connection(sqlite3* handle) : handle_(handle) {}
    // A file that nobody was writing to. SQLite looks no second time whether it has changed.
    struct AsItWas {
        std::string path{};  // "": it is read with its log
        std::uint64_t inode = 0, bytes = 0;
        std::int64_t written_at_ns = 0;
    };
    Result<void> read_as_it_is(const std::string& path);
    Result<void> follow_writers();

    sqlite3* handle_ = nullptr;
    AsItWas as_it_was_{};
};

// A transaction that is rolled back unless it is committed.
class Transaction {
public:
    static Result<Transaction> begin(Connection& connection);
    Transaction(Transaction&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
    ~Transaction();
    Result<void> commit();

private:
    explicit Transaction(Connection& connection) : connection_(&connection) {}

    Connection* connection_;
};

}  // namespace quarry::db
