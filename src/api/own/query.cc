#include "api/own/query.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.h"
#include "model/iso_time.h"

namespace quarry::api::own {

std::string Query::text(std::string_view name) const {
    return std::string(request_.parameter(name).value_or(""));
}

bool Query::flag(std::string_view name) {
    const auto value = request_.parameter(name);
    if (!value || *value == "false") return false;
    if (*value == "true") return true;
    reject(name, "has to be true or false");
    return false;
}

std::optional<std::int64_t> Query::integer(std::string_view name, std::int64_t least, std::int64_t most) {
    const auto value = request_.parameter(name);
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
    const auto value = request_.parameter(name);
    if (!value) return std::nullopt;
    const auto time = parse_iso_time(*value);
    if (!time) reject(name, "has to be a time such as 2026-01-30T15:00:10.000Z");
    return time;
}

void Query::only(std::initializer_list<std::string_view> names) {
    for (const auto& [key, word] : request_.query)
        if (std::ranges::find(names, key) == names.end())
            reject(key, fmt::format("is not known here: there are {}", fmt::join(names, ", ")));
}

std::vector<std::int64_t> Query::numbers(std::string_view name) {
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
