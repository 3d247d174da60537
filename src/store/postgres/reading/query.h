// A SELECT that grows with what is asked for, and owns what is bound to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "db/postgres/connection.h"

namespace quarry::store::postgres {

// Names of columns and tables come from the program; values are always bound. Where a piece of SQL has a
// value, it is written `?`.
class Query {
public:
    explicit Query(std::string sql) : sql_(std::move(sql)) {}

    Query& add(std::string_view sql) {
        sql_ += sql;
        return *this;
    }
    template <typename Value>
    Query& add(std::string_view sql, Value value) {
        if constexpr (std::is_convertible_v<Value, std::string_view>) {
            values_.emplace_back(std::string(std::string_view(value)));
        } else {
            values_.emplace_back(static_cast<std::int64_t>(value));
        }
        return add_placed(sql);
    }
    Query& add_blob(std::string_view sql, db::Blob value) {
        values_.emplace_back(Bytes{std::string(value.bytes)});
        return add_placed(sql);
    }
    // `? ` stands for an array: "state = any(?)".
    template <typename Number>
    Query& add_array(std::string_view sql, const std::vector<Number>& numbers) {
        std::vector<std::int64_t> array;
        for (const Number value : numbers) array.push_back(static_cast<std::int64_t>(value));
        values_.emplace_back(std::move(array));
        return add_placed(sql);
    }
    // `expression` is one of these numbers. An empty list asks for nothing in particular.
    template <typename Number>
    Query& add_in(std::string_view expression, const std::vector<Number>& numbers) {
        if (numbers.empty()) return *this;
        return add_array(" and " + std::string(expression) + " = any(?)", numbers);
    }

    // Calls `use` with each row. One statement is one snapshot.
    template <typename Use>
    Result<void> each(db::PgConnection& connection, Use use) const {
        const db::PgRows rows = TRY(connection.query(sql_, bound()));
        for (int row = 0; row < rows.size(); ++row) use(db::PgRow(rows, row));
        return {};
    }

    const std::string& sql() const { return sql_; }

private:
    struct Bytes {
        std::string bytes;
    };

    Query& add_placed(std::string_view sql) {
        const std::size_t place = sql.find('?');
        sql_ += sql.substr(0, place);
        sql_ += '$' + std::to_string(values_.size());
        sql_ += sql.substr(place + 1);
        return *this;
    }
    db::PgValues bound() const {
        db::PgValues values;
        for (const auto& value : values_) {
            std::visit([&](const auto& alternative) { bind(values, alternative); }, value);
        }
        return values;
    }
    static void bind(db::PgValues& values, const Bytes& value) { values.add(db::Blob{value.bytes}); }
    static void bind(db::PgValues& values, const auto& value) { values.add(value); }

    std::string sql_;
    std::vector<std::variant<std::int64_t, std::string, Bytes, std::vector<std::int64_t>>> values_;
};

}  // namespace quarry::store::postgres
