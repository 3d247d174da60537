// What is said when bytes of the index do not make sense.
#pragma once

#include <string>

#include "base/result.h"

namespace quarry::index {

inline std::unexpected<Error> damaged(const std::string& what) {
    return fail(ErrorCode::corrupt, "the search index is damaged: " + what);
}

}  // namespace quarry::index
