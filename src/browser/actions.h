// What is done to a page before it is read: clicks, keys, waits.
#pragma once

#include "base/result.h"
#include "browser/page.h"
#include "browser/request.h"

namespace quarry::browser {

// In order; what they give goes into `rendered`. Stops at the first that cannot be done, with a sentence that
// says which.
Result<void> run_actions(Page& page, Rendered& rendered);

}  // namespace quarry::browser
