#include "model/json/values.h"

#include <algorithm>
#include <array>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/units.h"

namespace quarry {

namespace {

constexpr std::array<std::string_view, 6> job_states = {"queued", "running",   "completed",
                                                        "failed", "cancelled", "paused"};
constexpr std::array<std::string_view, 6> url_states = {"queued", "running", "completed",
                                                        "failed", "skipped", "cancelled"};
constexpr std::array<std::string_view, 10> skip_reasons = {"none",      "robots",     "noindex", "redirect",
                                                           "canonical", "not_a_page", "outside", "limit",
                                                           "empty",     "listing"};
constexpr std::array<std::string_view, 5> url_sources = {"seed", "link", "sitemap", "redirect", "former"};
constexpr std::array<std::string_view, 3> concurrency_names = {"any", "none", "apart"};
constexpr std::array<std::string_view, 11> error_codes = {
    "invalid_argument", "not_found",   "conflict", "refused",     "unavailable", "timeout",
    "too_large",        "unsupported", "corrupt",  "interrupted", "exhausted"};

template <typename Enum, std::size_t count>
bool find(const std::array<std::string_view, count>& names, std::string_view name, Enum& target) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return false;
    target = static_cast<Enum>(found - names.begin());
    return true;
}

}  // namespace

std::string_view name_of(JobState state) {
    return job_states.at(static_cast<std::size_t>(state));
}

std::string_view name_of(UrlState state) {
    return url_states.at(static_cast<std::size_t>(state));
}

std::string_view name_of(SkipReason reason) {
    return skip_reasons.at(static_cast<std::size_t>(reason));
}

std::string_view name_of(UrlSource source) {
    return url_sources.at(static_cast<std::size_t>(source));
}

std::string_view name_of(Concurrency concurrency) {
    return concurrency_names.at(static_cast<std::size_t>(concurrency));
}

std::string_view error_name(ErrorCode code) {
    return error_codes.at(static_cast<std::size_t>(code));
}

bool read_name(std::string_view name, JobState& target) {
    return find(job_states, name, target);
}

bool read_name(std::string_view name, UrlState& target) {
    return find(url_states, name, target);
}

bool read_name(std::string_view name, SkipReason& target) {
    return find(skip_reasons, name, target);
}

bool read_name(std::string_view name, UrlSource& target) {
    return find(url_sources, name, target);
}

bool read_name(std::string_view name, Concurrency& target) {
    return find(concurrency_names, name, target);
}

bool read_error_name(std::string_view name, ErrorCode& target) {
    return find(error_codes, name, target);
}

std::string all_names(JobState) {
    return fmt::format("{}", fmt::join(job_states, ", "));
}

std::string all_names(UrlState) {
    return fmt::format("{}", fmt::join(url_states, ", "));
}

std::string all_names(SkipReason) {
    return fmt::format("{}", fmt::join(skip_reasons, ", "));
}

Result<JobState> parse_job_state(std::string_view name) {
    JobState state{};
    if (read_name(name, state)) return state;
    return fail(ErrorCode::invalid_argument,
                fmt::format("there is no state \"{}\". There are: {}", name, fmt::join(job_states, ", ")));
}

Result<JobState> parse_embedding_state(std::string_view name) {
    if (name == "pending") return JobState::queued;
    if (name == "processing") return JobState::running;
    return parse_job_state(name);
}

Result<int> parse_embedding_priority(std::string_view text) {
    const auto priority = parse_priority(text);
    if (priority && *priority >= priority_high && *priority <= priority_low) return *priority;
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("\"{}\" is no priority of the embedding queue: it is high, normal or low, or 1, 2 "
                    "or 3",
                    text));
}

Result<int> parse_priority(std::string_view text) {
    if (text == "high") return priority_high;
    if (text == "normal") return priority_normal;
    if (text == "low") return priority_low;
    const auto number = parse_number(text, 0, 100);
    if (number) return static_cast<int>(*number);
    return fail(ErrorCode::invalid_argument,
                fmt::format("\"{}\" is no priority: high, normal, low or a number from 0 to 100", text));
}

namespace {

// Digits of a fixed place in a time; -1 if there are others.
int digits_at(std::string_view text, std::size_t begin, std::size_t count) {
    int number = 0;
    for (const char c : text.substr(begin, count)) {
        if (c < '0' || c > '9') return -1;
        number = number * 10 + (c - '0');
    }
    return number;
}

bool has_shape(std::string_view text, std::string_view shape) {
    if (text.size() != shape.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (shape[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i]) return false;
    return true;
}

}  // namespace

std::string iso_time(Timestamp time) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const auto milliseconds = (time - seconds).count();
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), milliseconds);
}

std::optional<Timestamp> parse_iso_time(std::string_view text) {
    using namespace std::chrono;
    if (!has_shape(text, "0000-00-00T00:00:00.000Z")) return std::nullopt;
    const year_month_day day(year(digits_at(text, 0, 4)), month(static_cast<unsigned>(digits_at(text, 5, 2))),
                             std::chrono::day(static_cast<unsigned>(digits_at(text, 8, 2))));
    const int hour = digits_at(text, 11, 2), minute = digits_at(text, 14, 2), second = digits_at(text, 17, 2);
    if (!day.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
    return Timestamp(sys_days(day)) + hours(hour) + minutes(minute) + seconds(second) +
           milliseconds(digits_at(text, 20, 3));
}

}  // namespace quarry
