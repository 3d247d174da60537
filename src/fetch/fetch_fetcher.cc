#include "fetch/fetcher.h"

#include <future>

#include "fetch/fetch_task.h"

namespace quarry::fetch {

Fetcher::Fetcher(net::HttpClient& client, FetchConfig config)
    : shared_(new Shared{.client = client, .config = config, .breaker = CircuitBreaker(config.breaker)}) {}

Fetcher::~Fetcher() = default;

void Fetcher::fetch(FetchRequest request, Callback callback) {
    FetchTask::start(std::make_unique<FetchTask>(shared_, std::move(request), std::move(callback)));
}

Result<Page> Fetcher::fetch(FetchRequest request) {
    std::promise<Result<Page>> promise;
    auto result = promise.get_future();
    // The callback owns the promise: it may still be inside set_value when this function has returned.
    fetch(std::move(request),
          [promise = std::move(promise)](Result<Page> page) mutable { promise.set_value(std::move(page)); });
    return result.get();
}

}  // namespace quarry::fetch
