// Every kind of job and the function that runs it. URLs of crawls are not here: see fetch_page.h.
#pragma once

#include <map>
#include <string>

#include "work/jobs/job_pool.h"

namespace quarry::work {

std::map<std::string, Handler> all_handlers();

}  // namespace quarry::work
