#include "base/result.h"

namespace quarry {

std::unexpected<Error> propagated(Error& error) {
    return std::unexpected(std::move(error));
}

}  // namespace quarry
