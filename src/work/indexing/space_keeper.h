// Renews the builtin spaces of an index that grows, each when it is due (spaces.h), on a thread of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "work/indexing/builtin_spaces.h"

namespace quarry::work {

class SpaceKeeper {
public:
    struct Parts {
        Spaces& spaces;
        std::function<bool()> is_quiet{};            // nothing is being written, and nothing is expected
        std::function<void()> looked{};              // a round is over; on the keeper's thread
        std::function<void(const Error&)> failed{};  // the index cannot be written; likewise
    };
    // Looks at these collections first: what was interrupted, or is due by a newer rule, is seen then.
    SpaceKeeper(Parts parts, const std::vector<std::string>& collections);
    ~SpaceKeeper() { stop(); }

    // Something of the collection will have been written when `look_again` is called next.
    void written(const std::string& collection);
    // Something was written, or it has become quiet.
    void look_again();

    // Nothing was written since the spaces were looked at last, in quiet.
    bool is_settled() const;

    // A fit is given up. Calls that come later do nothing.
    void stop() { thread_ = {}; }

private:
    void run(std::stop_token stop);
    void renew_if_due(const std::string& collection, Spaces::Pressure pressure, std::stop_token stop);
    void report(const Result<void>& result);

    const Parts parts_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::uint64_t rounds_ = 1;
    std::set<std::string> written_;  // collections whose space may be due
    bool is_settled_ = true;
    std::jthread thread_;
};

}  // namespace quarry::work
