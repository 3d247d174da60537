// Values in PostgreSQL's binary form, in both directions. PgValues holds the parameters of a statement ($1,
// $2, …), so that nothing is quoted, escaped or parsed. Integers are int8, whatever the column is: PostgreSQL
// compares and assigns across their sizes. PgRows reads an answer where libpq has put it. Text becomes UTF-8
// without NUL, because text from the web is not always either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/sqlite.h"

namespace quarry::db {

// True if a column of type text can hold it.
bool is_pg_text(std::string_view text);

// The same text with U+FFFD for every byte that the column cannot hold.
std::string to_pg_text(std::string_view text);

// Values of an array parameter for `unnest($1, …)`: one column of many rows. `nullopt` is NULL.
using PgIntegers = std::vector<std::optional<std::int64_t>>;
using PgTexts = std::vector<std::optional<std::string_view>>;
struct PgBlobs {
    std::vector<std::optional<std::string_view>> values{};
};

// Text and bytes are borrowed: they must live until the statement has been sent. Arrays are copied.
class PgValues {
public:
    PgValues() = default;
    template <typename... Values>
    explicit PgValues(const Values&... values) {
        (add(values), ...);
    }
    PgValues(PgValues&&) noexcept = default;  // not copyable: it points into itself
    PgValues& operator=(PgValues&&) noexcept = default;

    PgValues& add(std::int64_t value);
    PgValues& add(int value) { return add(static_cast<std::int64_t>(value)); }
    PgValues& add(bool value);
    PgValues& add(double value);
    PgValues& add(std::string_view value);
    PgValues& add(const std::string& value) { return add(std::string_view(value)); }
    PgValues& add(const char* value) { return add(std::string_view(value)); }
    PgValues& add(Blob value);
    PgValues& add(const PgIntegers& values);
    PgValues& add(const std::vector<std::int64_t>& values);
    PgValues& add(const PgTexts& values);
    PgValues& add(const std::vector<std::string>& values);
    PgValues& add(const PgBlobs& values);
    template <typename T>
    PgValues& add(const std::optional<T>& value) {
        if (value) return add(*value);
        add(T{});
        values_.back() = nullptr;
        return *this;
    }

    // Copies what is borrowed.
    void keep();

    // As libpq wants them.
    int size() const { return static_cast<int>(values_.size()); }
    const unsigned int* types() const { return types_.data(); }
    const char* const* values() const { return values_.data(); }
    const int* lengths() const { return lengths_.data(); }
    const int* formats() const { return formats_.data(); }

private:
    PgValues& push(unsigned int type, std::string_view bytes);
    PgValues& push_own(unsigned int type, std::string bytes);
    PgValues& push_borrowed(unsigned int type, std::string_view bytes);

    std::vector<unsigned int> types_;
    std::vector<const char*> values_;
    std::vector<int> lengths_, formats_;
    std::deque<std::string> own_;        // its strings do not move
    std::vector<std::size_t> borrowed_;  // places of values that are not in own_
};

}  // namespace quarry::db

// The rows of PostgreSQL's answer, in binary form, read where libpq has put them.

struct pg_result;

namespace quarry::db {

// A row is read by the numbers of its columns. What is read lives as long as the PgRows.
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
    std::shared_ptr<pg_result> result_;  // shared, so that borrowers can keep the rows alive
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
