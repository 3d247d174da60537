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

Result<std::vector<Visited>> Store::keep_visits(KeptCrawl, std::vector<Visit>) {
    return fail(ErrorCode::unsupported, "this store keeps no pages of crawls that live elsewhere");
}

Result<std::vector<std::optional<FormerPage>>> Store::former_pages(const KeptCrawl&,
                                                                   std::span<const UrlKey>) {
    return fail(ErrorCode::unsupported, "this store keeps no pages of crawls that live elsewhere");
}

}  // namespace quarry::store
