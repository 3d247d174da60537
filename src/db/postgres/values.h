// What a statement is asked with: $1, $2, … in PostgreSQL's binary form, so that nothing is quoted, escaped
// or parsed. Integers are int8, whatever the column is: PostgreSQL compares and assigns across their sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/sqlite.h"

namespace quarry::db {

// Values of an array parameter for `unnest($1, …)`: one column of many rows. Nothing is NULL.
using PgIntegers = std::vector<std::optional<std::int64_t>>;
using PgTexts = std::vector<std::optional<std::string_view>>;
struct PgBlobs {
    std::vector<std::optional<std::string_view>> values{};
};

// Text and bytes are borrowed: they live until the statement has been sent. Arrays are copied.
class PgValues {
public:
    PgValues() = default;
    template <typename... Values>
    explicit PgValues(const Values&... values) {
        (add(values), ...);
    }
    PgValues(PgValues&&) noexcept = default;  // not to be copied: it points into itself
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
    std::vector<std::size_t> borrowed_;  // places of values that are not in it
};

}  // namespace quarry::db
