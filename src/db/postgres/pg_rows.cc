#include "db/postgres/pg_rows.h"

#include <bit>
#include <cstdlib>

#include <libpq-fe.h>

namespace quarry::db {

PgRows::PgRows(pg_result* result) : result_(result, PQclear), size_(PQntuples(result)) {}

std::int64_t PgRows::affected() const {
    return result_ ? std::strtoll(PQcmdTuples(result_.get()), nullptr, 10) : 0;
}

bool PgRows::is_null(int row, int column) const {
    return PQgetisnull(result_.get(), row, column) != 0;
}

std::int64_t PgRows::integer(int row, int column) const {
    const std::string_view bytes = text(row, column);
    if (bytes.empty() || bytes.size() > 8) return 0;
    std::uint64_t value = 0;
    for (const char byte : bytes) value = (value << 8) | static_cast<unsigned char>(byte);
    // Short ones are signed too; a bool is 0 or 1.
    const int unused = 64 - static_cast<int>(bytes.size()) * 8;
    return static_cast<std::int64_t>(value << unused) >> unused;
}

std::optional<std::int64_t> PgRows::optional_integer(int row, int column) const {
    if (is_null(row, column)) return std::nullopt;
    return integer(row, column);
}

double PgRows::real(int row, int column) const {
    return std::bit_cast<double>(integer(row, column));
}

std::string_view PgRows::text(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

}  // namespace quarry::db
