// What is left of each owner's pages and storage while pages are fetched, so that no way of adding work leads
// past a quota.
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"

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

    enum class UsedUp : std::uint8_t { pages, storage };
    std::expected<Taken, UsedUp> take(const std::string& owner);

    // True if the store should be asked again, which the caller then does: a limit may be changed while a
    // crawl runs, and one that is used up may be raised.
    bool is_due(const std::string& owner, Timestamp now);
    // What the store said. Pages on the wire when it was asked are not counted yet.
    struct Said {
        std::optional<std::int64_t> pages_left{};  // nothing: nobody counts
        bool is_storage_used_up = false;
    };
    void learn(const std::string& owner, const Said& said, Timestamp now);

private:
    struct Quota {
        std::shared_ptr<std::atomic<std::int64_t>> left{};  // nothing: nobody counts
        bool is_storage_used_up = false;
        std::optional<Timestamp> asked_at{};
    };
    std::map<std::string, Quota> quotas_;
};

}  // namespace quarry::work
