// A SELECT that grows with what is asked for, and owns what is bound to it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"

namespace quarry::store {

// Column and table names come from the program; values are always bound.
class Query {
public:
    // Up to and including the first condition of WHERE.
    explicit Query(std::string sql) : sql_(std::move(sql)) {}

    Query& add(std::string_view sql) {
        sql_ += sql;
        return *this;
    }
    template <typename Value>
    Query& add(std::string_view sql, Value value) {
        sql_ += sql;
        if constexpr (std::is_convertible_v<Value, std::string_view>) {
            values_.emplace_back(std::string(std::string_view(value)));
        } else {
            values_.emplace_back(static_cast<std::int64_t>(value));
        }
        return *this;
    }
    Query& add_blob(std::string_view sql, db::Blob value) {
        sql_ += sql;
        values_.emplace_back(Bytes{std::string(value.bytes)});
        return *this;
    }

    // `expression` is one of these numbers. An empty list asks for nothing in particular.
    template <typename Number>
    Query& add_in(std::string_view expression, const std::vector<Number>& numbers) {
        if (numbers.empty()) return *this;
        sql_.append(" AND ").append(expression).append(" IN (");
        for (const Number value : numbers) add("?,", static_cast<std::int64_t>(value));
        sql_.back() = ')';
        return *this;
    }

    // Calls `use` with the statement at each row. One statement is one snapshot.
    template <typename Use>
    Result<void> each(db::Connection& connection, Use use) {
        db::Statement statement = TRY(connection.prepare(sql_));
        int index = 0;
        for (const auto& value : values_) {
            std::visit([&](const auto& alternative) { bind(statement, ++index, alternative); }, value);
        }
        while (TRY(statement.step())) use(std::as_const(statement));
        return {};
    }

private:
    struct Bytes {
        std::string bytes;
    };

    static void bind(db::Statement& statement, int index, std::int64_t value) {
        statement.bind_at(index, value);
    }
    static void bind(db::Statement& statement, int index, const std::string& value) {
        statement.bind_at(index, value);
    }
    static void bind(db::Statement& statement, int index, const Bytes& value) {
        statement.bind_at(index, db::Blob{value.bytes});
    }

    std::string sql_;
    std::vector<std::variant<std::int64_t, std::string, Bytes>> values_;
};

}  // namespace quarry::store
