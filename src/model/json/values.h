// States, other enums and times as text: JSON, SQL dumps, the command line and documents all write them
// alike. The way back is here too. Times are ISO 8601 in UTC with milliseconds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "model/frontier.h"
#include "model/group.h"
#include "model/job.h"

namespace quarry {

// Enums by the words they go by in SQL dumps, JSON, the command line and documents alike, and the way back.

std::string_view name_of(Concurrency concurrency);
std::string_view error_name(ErrorCode code);

// False if there is no such word; `target` is then as it was.
bool read_name(std::string_view name, JobState& target);
bool read_name(std::string_view name, UrlState& target);
bool read_name(std::string_view name, SkipReason& target);
bool read_name(std::string_view name, UrlSource& target);
bool read_name(std::string_view name, Concurrency& target);
// "queued, running, …": all words of a kind, whatever the value.
std::string all_names(JobState kind);
std::string all_names(UrlState kind);
std::string all_names(SkipReason kind);

bool read_error_name(std::string_view name, ErrorCode& target);

// Times as JSON has them: ISO 8601 in UTC, with milliseconds.

// "2026-01-30T15:00:10.000Z"
std::string iso_time(Timestamp time);

// The way back, of exactly that form.
std::optional<Timestamp> parse_iso_time(std::string_view text);

}  // namespace quarry
