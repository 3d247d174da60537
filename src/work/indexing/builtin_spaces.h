// The builtin spaces of an embedded index: which is in use, when one is due, and how it is renewed while the
// index answers and grows.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <stop_token>
#include <string>

#include "base/guarded.h"
#include "base/result.h"
#include "embed/space/space.h"
#include "index/embedded/embedded_index.h"

namespace quarry::work {

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
    // until it was fitted on enough. While chunks still come in, four times as many: what is fitted in between
    // is thrown away. (At rest a fit costs little, and a space that knows half of the words is worth less:
    // nDCG@10 of scifact .734 when the last fit saw part of an import, .744 when it saw all.)
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

}  // namespace quarry::work
