// What was asked of a server: a line for people, a record in the store, and counts for monitoring. A flood of
// requests is counted whole, but of its records only so many are kept.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/access.h"

namespace quarry::api {

class RequestLog {
public:
    using WriteLine = std::function<void(std::string_view)>;
    using Keep = std::function<Result<void>(std::span<const RequestRecord>)>;  // in the store

    // Of one route and status.
    struct Count {
        std::int64_t requests = 0;
        std::chrono::microseconds took{};
    };
    using Counts = std::map<std::pair<std::string, int>, Count>;

    // No `write_line`: no lines.
    RequestLog(Keep keep, WriteLine write_line);
    // Keeps what it was told.
    ~RequestLog();

    // Any thread; does not wait.
    void add(RequestRecord record, std::size_t bytes);

    Counts counts() const;
    std::int64_t not_kept() const;  // counted, but without a record

private:
    void write(std::stop_token stop);
    bool keep_in_peace(std::span<const RequestRecord> records) const;

    const Keep keep_;
    const WriteLine write_line_;
    mutable std::mutex mutex_;
    std::condition_variable_any has_more_;
    Counts counts_;
    std::vector<RequestRecord> waiting_;
    std::int64_t not_kept_ = 0;
    std::jthread writer_;  // the last: it uses all of the above
};

}  // namespace quarry::api
