#include "db/postgres/copy.h"

#include <libpq-fe.h>

#include "db/postgres/connection.h"
#include "db/postgres/values.h"

namespace quarry::db {

namespace {

template <typename T>
void append_number(std::string& bytes, T value) {
    for (int shift = static_cast<int>(sizeof(T)) * 8 - 8; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(value >> shift);
    }
}

}  // namespace

// The signature, no flags, no extension (PostgreSQL manual, COPY, binary format).
PgCopy::PgCopy(PgConnection& connection)
    : connection_(&connection), buffer_("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19) {}

Result<PgCopy> PgCopy::begin(PgConnection& connection, const std::string& target) {
    TRY(connection.execute("copy " + target + " from stdin (format binary)"));
    return PgCopy(connection);
}

PgCopy::~PgCopy() {
    if (!connection_ || !connection_->is_open()) return;
    PQputCopyEnd(connection_->handle(), "not ended");
    while (pg_result* result = PQgetResult(connection_->handle())) PQclear(result);
}

void PgCopy::begin_row(std::size_t columns) {
    append_number(buffer_, static_cast<std::uint16_t>(columns));
}

void PgCopy::append(std::int64_t value) {
    append_number(buffer_, std::uint32_t{8});
    append_number(buffer_, static_cast<std::uint64_t>(value));
}

void PgCopy::append(std::string_view text) {
    if (is_pg_text(text)) return append(Blob{text});
    const std::string clean = to_pg_text(text);
    append(Blob{clean});
}

void PgCopy::append(Blob value) {
    append_number(buffer_, static_cast<std::uint32_t>(value.bytes.size()));
    buffer_ += value.bytes;
}

void PgCopy::append_null() {
    append_number(buffer_, 0xFFFFFFFFu);
}

Result<void> PgCopy::flush() {
    if (PQputCopyData(connection_->handle(), buffer_.data(), static_cast<int>(buffer_.size())) != 1) {
        return fail(ErrorCode::unavailable,
                    pg_message("08006", PQerrorMessage(connection_->handle()), connection_->place()));
    }
    buffer_.clear();
    return {};
}

Result<std::int64_t> PgCopy::end() {
    append_number(buffer_, std::uint16_t{0xFFFF});
    TRY(flush());
    PgConnection* connection = std::exchange(connection_, nullptr);
    return TRY(connection->end_copy()).affected();
}

}  // namespace quarry::db
