#include "store/store.h"

#include <future>

namespace quarry::store {

Result<std::vector<Verdict>> Store::finish(std::vector<Finished> finished) {
    std::promise<Result<std::vector<Verdict>>> promise;
    auto future = promise.get_future();
    finish(std::move(finished),
           [&](Result<std::vector<Verdict>> verdicts) { promise.set_value(std::move(verdicts)); });
    return future.get();
}

}  // namespace quarry::store
