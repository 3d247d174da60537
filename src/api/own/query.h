// The parameters behind a path, read by kind: "?status=failed&status=cancelled&limit=20". What is wrong is
// gathered, as in a body (api/fields.h).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/fields.h"
#include "api/message.h"
#include "base/clock.h"
#include "model/names.h"

namespace quarry::api::own {

class Query {
public:
    explicit Query(const Request& request) : request_(request) {}  // which outlives it

    std::string text(std::string_view name) const;  // "" if it is not there
    bool flag(std::string_view name);               // "true" or "false"
    std::optional<std::int64_t> integer(std::string_view name, std::int64_t least, std::int64_t most);
    int limit(int standard, int most);
    std::optional<Timestamp> time(std::string_view name);  // ISO 8601, as answers have it
    std::vector<std::int64_t> numbers(std::string_view name);
    // Of an enum, by its words.
    template <typename Enum>
    std::vector<Enum> names(std::string_view name) {
        std::vector<Enum> all;
        for (const auto& [key, word] : request_.query) {
            if (key != name) continue;
            Enum value{};
            if (read_name(word, value))
                all.push_back(value);
            else
                reject(name, "is no word that is known");
        }
        return all;
    }
    // The number of a row, if it is there.
    template <typename Id>
    std::optional<Id> id(std::string_view name) {
        const auto number = integer(name, 0, std::numeric_limits<std::int64_t>::max());
        return number ? std::optional(Id{*number}) : std::nullopt;
    }

    // What is not among these is an issue: a misspelt condition would be no condition.
    void only(std::initializer_list<std::string_view> names);

    const std::vector<Issue>& issues() const { return issues_; }

private:
    void reject(std::string_view name, std::string message) {
        issues_.push_back({.path = std::string(name), .message = std::move(message)});
    }

    const Request& request_;
    std::vector<Issue> issues_;
};

}  // namespace quarry::api::own
