// The words that states and reasons go by, in SQL dumps, JSON, the command line and documents alike.
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "base/units.h"
#include "model/frontier.h"
#include "model/job.h"

namespace quarry {

namespace {

constexpr std::array<std::string_view, 6> job_states = {"queued", "running",   "completed",
                                                        "failed", "cancelled", "paused"};
constexpr std::array<std::string_view, 6> url_states = {"queued", "running", "completed",
                                                        "failed", "skipped", "cancelled"};
constexpr std::array<std::string_view, 8> skip_reasons = {"none",      "robots",     "noindex", "redirect",
                                                          "canonical", "not_a_page", "outside", "limit"};
constexpr std::array<std::string_view, 5> url_sources = {"seed", "link", "sitemap", "redirect", "former"};

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

Result<JobState> parse_job_state(std::string_view name) {
    for (std::size_t i = 0; i < job_states.size(); ++i) {
        if (job_states[i] == name) return static_cast<JobState>(i);
    }
    return fail(ErrorCode::invalid_argument,
                fmt::format("there is no state \"{}\". There are: {}", name, fmt::join(job_states, ", ")));
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

}  // namespace quarry
