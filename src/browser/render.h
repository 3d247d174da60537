// A page, loaded and read in a browser.
#pragma once

#include "base/result.h"
#include "browser/instance.h"
#include "browser/request.h"

namespace quarry::browser {

// Fails with `invalid_argument` and a sentence if it asks for what cannot be.
Result<void> check(const RenderRequest& request);

enum class Health : std::uint8_t {
    well,   // the browser can take the next page
    stuck,  // it did not close the page, or has ended: it must go
};

struct RenderOutcome {
    Result<Rendered> result;
    Health health = Health::well;
};

// Loads the page in a lane of the browser that is free, does what is asked, and closes it. Blocks for the
// request's time limit at most, and a few seconds to close. Errors as fetching has them; `unavailable` if the
// page crashed.
RenderOutcome render(Instance& instance, const Lane& lane, const RenderRequest& request);

}  // namespace quarry::browser
