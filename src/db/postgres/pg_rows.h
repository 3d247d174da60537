// Rows that PostgreSQL answered with, in binary form, read where libpq has put them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

struct pg_result;

namespace quarry::db {

// A row is read by its columns' numbers. What is read lives as long as the PgRows.
class PgRows {
public:
    PgRows() = default;
    explicit PgRows(pg_result* result);

    int size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::int64_t affected() const;  // rows inserted, changed or removed

    bool is_null(int row, int column) const;
    std::int64_t integer(int row, int column) const;  // also bool, int2, int4; 0 if NULL
    std::optional<std::int64_t> optional_integer(int row, int column) const;
    double real(int row, int column) const;            // float8
    std::string_view text(int row, int column) const;  // or bytea; "" if NULL
    bool boolean(int row, int column) const { return integer(row, column) != 0; }

private:
    std::shared_ptr<pg_result> result_;  // shared so that rows can be kept by whoever borrows from them
    int size_ = 0;
};

// One row, so that a function that reads a row need not be told its number.
class PgRow {
public:
    PgRow(const PgRows& rows, int row) : rows_(rows), row_(row) {}
    bool is_null(int column) const { return rows_.is_null(row_, column); }
    std::int64_t integer(int column) const { return rows_.integer(row_, column); }
    std::optional<std::int64_t> optional_integer(int column) const {
        return rows_.optional_integer(row_, column);
    }
    double real(int column) const { return rows_.real(row_, column); }
    std::string_view text(int column) const { return rows_.text(row_, column); }
    bool boolean(int column) const { return rows_.boolean(row_, column); }

private:
    const PgRows& rows_;
    int row_;
};

}  // namespace quarry::db
