// COPY … FROM STDIN in binary form: the quickest way for many rows into a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "db/postgres/connection.h"

namespace quarry::db {

// Columns are int8, text or bytea. A copy that is not ended is undone. Meanwhile the connection does nothing
// else.
class PgCopy {
public:
    // `target`: "quarry.payload(id, body)".
    static Result<PgCopy> begin(PgConnection& connection, const std::string& target);
    PgCopy(PgCopy&& other) noexcept
        : connection_(std::exchange(other.connection_, nullptr)), buffer_(std::move(other.buffer_)) {}
    ~PgCopy();

    template <typename... Values>
    Result<void> row(const Values&... values) {
        begin_row(sizeof...(values));
        (append(values), ...);
        return buffer_.size() < flushed_at ? Result<void>{} : flush();
    }
    // How many rows there were.
    Result<std::int64_t> end();

private:
    explicit PgCopy(PgConnection& connection);
    static constexpr std::size_t flushed_at = 256u << 10;

    void begin_row(std::size_t columns);
    void append(std::int64_t value);
    void append(std::string_view text);
    void append(Blob bytes);
    void append_null();
    template <typename T>
    void append(const std::optional<T>& value) {
        if (value) {
            append(*value);
        } else {
            append_null();
        }
    }
    Result<void> flush();

    PgConnection* connection_;
    std::string buffer_;
};

}  // namespace quarry::db
