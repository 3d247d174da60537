// What is left of each owner's pages while they are fetched, so that no way of adding work leads past a
// quota.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "store/reader.h"

namespace quarry::work {

// Of one thread.
class OwnerQuotas {
public:
    // One page of an owner's.
    class Taken {
    public:
        // It was none, and does not count. Any thread.
        void give_back() const {
            if (left_) ++*left_;
        }

    private:
        friend class OwnerQuotas;
        // Shared with pages on the wire, which may end after all of this.
        std::shared_ptr<std::atomic<std::int64_t>> left_{};
    };

    // Nothing if the owner may have no more pages fetched. What a store says that cannot be read just now is
    // what it said before. Pages on the wire when it is read are not counted yet.
    std::optional<Taken> take(const std::string& owner, store::Reader& reader, Timestamp now);

private:
    struct Quota {
        std::shared_ptr<std::atomic<std::int64_t>> left{};  // nothing: nobody counts
        std::optional<Timestamp> read_at{};
    };
    std::map<std::string, Quota> quotas_;
};

}  // namespace quarry::work
