// Jobs and groups that are kept for later, as JSON in a column: what a group adds at its end, what a schedule
// adds again and again. Times are not kept: such jobs run when they are added.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/group.h"
#include "model/job.h"

namespace quarry::store {

std::string jobs_to_json(const std::vector<NewJob>& jobs);
Result<std::vector<NewJob>> jobs_from_json(std::string_view json);  // `corrupt`

// What a group adds of its own accord.
struct LaterJobs {
    std::vector<NewJob> closing{};
    std::optional<NewJob> notice{};
};
std::string later_jobs_to_json(const LaterJobs& jobs);          // "[]" if there are none
Result<LaterJobs> later_jobs_from_json(std::string_view json);  // `corrupt`

// The notice as it is added: see NewGroup::notice.
NewJob notice_about(NewJob notice, GroupId group, JobState state);

std::string group_to_json(const NewGroup& group);
Result<NewGroup> group_from_json(std::string_view json);  // `corrupt`

}  // namespace quarry::store
