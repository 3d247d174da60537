// The parameters behind a path, read by kind: "?status=failed&status=cancelled&limit=20". What is wrong is
// gathered, as in a body (api/server/fields.h).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/server/fields.h"
#include "api/server/message.h"
#include "base/clock.h"
#include "model/json/values.h"

namespace quarry::api::own {

// Parameters that nothing was asked of: quarry's own routes have none.
enum class Unknown : std::uint8_t { refused, accepted };

class Query {
public:
    // The request outlives it.
    explicit Query(const Request& request, Unknown unknown = Unknown::refused)
        : request_(request), unknown_(unknown) {}

    std::string text(std::string_view name);  // "" if it is not there
    // The same, but one of these.
    std::string one_of(std::string_view name, std::initializer_list<std::string_view> known);
    bool flag(std::string_view name);  // "true" or "false"
    std::optional<std::int64_t> integer(std::string_view name, std::int64_t least, std::int64_t most);
    int limit(int standard, int most);
    std::optional<Timestamp> time(std::string_view name);  // ISO 8601, as answers have it
    std::vector<std::int64_t> numbers(std::string_view name);
    // Of an enum, by its words.
    template <typename Enum>
    std::vector<Enum> names(std::string_view name) {
        names_.push_back(name);
        std::vector<Enum> all;
        for (const auto& [key, word] : request_.query) {
            if (key != name) continue;
            Enum value{};
            if (read_name(word, value))
                all.push_back(value);
            else
                reject(name, "has to be one of: " + all_names(value));
        }
        return all;
    }
    // The states of jobs, also by the words of embedding queues.
    std::vector<JobState> job_states(std::string_view name);
    // The number of a row, if it is there.
    template <typename Id>
    std::optional<Id> id(std::string_view name) {
        const auto number = integer(name, 0, std::numeric_limits<std::int64_t>::max());
        return number ? std::optional(Id{*number}) : std::nullopt;
    }

    // Asked for when all was read.
    std::vector<Issue> issues() const;

private:
    std::optional<std::string_view> find(std::string_view name);
    void reject(std::string_view name, std::string message) {
        issues_.push_back({.path = std::string(name), .message = std::move(message)});
    }

    const Request& request_;
    const Unknown unknown_;
    std::vector<std::string_view> names_;  // that there are
    std::vector<Issue> issues_;
};

}  // namespace quarry::api::own
