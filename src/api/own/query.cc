#include "api/own/query.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.h"
#include "model/json/values.h"

namespace quarry::api::own {

std::optional<std::string_view> Query::find(std::string_view name) {
    names_.push_back(name);
    return request_.parameter(name);
}

std::vector<Issue> Query::issues() const {
    std::vector<Issue> issues = issues_;
    if (unknown_ == Unknown::accepted) return issues;
    for (const auto& [name, value] : request_.query)
        if (std::ranges::find(names_, name) == names_.end())
            issues.push_back({.path = name,
                              .message = names_.empty() ? "is not known here: there are no parameters"
                                                        : fmt::format("is not known here; there are: {}",
                                                                      fmt::join(names_, ", "))});
    return issues;
}

std::string Query::text(std::string_view name) {
    return std::string(find(name).value_or(""));
}

std::string Query::one_of(std::string_view name, std::initializer_list<std::string_view> known) {
    const std::string word = text(name);
    if (!word.empty() && std::ranges::find(known, word) == known.end())
        reject(name, fmt::format("has to be one of: {}", fmt::join(known, ", ")));
    return word;
}

bool Query::flag(std::string_view name) {
    const auto value = find(name);
    if (!value || *value == "false") return false;
    if (*value == "true") return true;
    reject(name, "has to be true or false");
    return false;
}

std::optional<std::int64_t> Query::integer(std::string_view name, std::int64_t least, std::int64_t most) {
    const auto value = find(name);
    if (!value) return std::nullopt;
    const auto number = parse_number(*value, least, most);
    if (number) return *number;
    reject(name, fmt::format("has to be a whole number from {} to {}", least, most));
    return std::nullopt;
}

int Query::limit(int standard, int most) {
    return static_cast<int>(integer("limit", 1, most).value_or(standard));
}

std::optional<Timestamp> Query::time(std::string_view name) {
    const auto value = find(name);
    if (!value) return std::nullopt;
    const auto time = parse_iso_time(*value);
    if (!time) reject(name, "has to be a time such as 2026-01-30T15:00:10.000Z");
    return time;
}

std::vector<JobState> Query::job_states(std::string_view name) {
    names_.push_back(name);
    std::vector<JobState> states;
    for (const auto& [key, word] : request_.query) {
        if (key != name) continue;
        const auto state = parse_embedding_state(word);
        if (state)
            states.push_back(*state);
        else
            reject(name, "has to be one of: pending, processing, " + all_names(JobState()));
    }
    return states;
}

std::vector<std::int64_t> Query::numbers(std::string_view name) {
    names_.push_back(name);
    std::vector<std::int64_t> all;
    for (const auto& [key, word] : request_.query) {
        if (key != name) continue;
        const auto number = parse_number(word, 0, std::numeric_limits<std::int64_t>::max());
        if (number)
            all.push_back(*number);
        else
            reject(name, "has to be a whole number");
    }
    return all;
}

}  // namespace quarry::api::own
