// The builtin spaces of an embedded index: which is in use, when one is due, and how it is renewed while
// the index answers and grows.
// SpaceKeeper renews each space when it is due, on a thread of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "embed/space/space.h"
#include "index/embedded/embedded_index.h"

namespace quarry::work {

// The builtin spaces of an embedded index: which is in use, when one is due, and how it is renewed while the
// index answers and grows.

struct SpacePolicy {
    std::int64_t min_chunks = 500;        // below it words alone answer
    std::int64_t enough_chunks = 65'536;  // a space fitted on so many is not fitted again by itself
    int dimensions = 192;
};

class Spaces {
public:
    explicit Spaces(index::EmbeddedIndex& index, SpacePolicy policy = {}) : index_(index), policy_(policy) {}

    struct Current {
        int version = 0;  // 0: none yet
        std::shared_ptr<const embed::Space> space{};
    };
    Result<Current> current(const std::string& collection);
    // The one that is being filled: what comes in meanwhile is folded into it as well, so that the filling
    // comes to an end. Its version is 0 if there is none.
    Current next(const std::string& collection);

    // While it is held, no collection changes its space: what was folded in can be written.
    std::shared_lock<std::shared_mutex> hold() { return std::shared_lock(use_); }

    // A space is due at the first 500 chunks, and each time there are a quarter more than it was fitted on,
    // until it was fitted on enough. While chunks still come in, four times as many: what is fitted in
    // between is thrown away. (At rest a fit costs little, and a space that knows half of the words is worth
    // less: nDCG@10 of scifact .734 when the last fit saw part of an import, .744 when it saw all.)
    enum class Pressure { idle, busy };
    Result<bool> is_due(const std::string& collection, Pressure pressure);

    // Fits a space, folds every chunk into it, and puts it to use. Takes seconds to minutes; stopping costs
    // only the work done so far.
    Result<void> renew(const std::string& collection, std::stop_token stop);

    // Nothing else is to do: the index may tidy up.
    Result<void> settle() { return index_.settle(); }

private:
    Result<embed::Space> fit(const std::string& collection, std::int64_t chunks, std::stop_token stop);
    Result<void> fill(const std::string& collection, const Current& next, std::stop_token stop);
    Result<void> fold_in_rest(const std::string& collection, const Current& next, std::stop_token stop);

    index::EmbeddedIndex& index_;
    const SpacePolicy policy_;
    struct Entry {
        Current current{};
        std::int64_t fitted_on = 0;
    };
    Guarded<std::map<std::string, Entry>> entries_;
    Guarded<std::map<std::string, Current>> next_;
    std::shared_mutex use_;
};

// Renews the builtin spaces of an index that grows, each when it is due (spaces.h), on a thread of its own.

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
