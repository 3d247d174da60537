// How much memory clients may make a server hold: all together, and each owner. What is held is a share of
// the budget, and goes back with the object that stands for it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace quarry::api {

// Any thread.
class MemoryBudget : public std::enable_shared_from_this<MemoryBudget> {
public:
    class Share;

    MemoryBudget(std::uint64_t most_bytes, std::uint64_t most_bytes_of_owner)
        : most_bytes_(most_bytes), most_bytes_of_owner_(most_bytes_of_owner) {}

    enum class Room : std::uint8_t { enough, none, none_for_owner };

    // An empty one. The budget lives as long as its shares.
    Share share_of(std::string owner);
    std::uint64_t used() const;

private:
    Room take(const std::string& owner, std::uint64_t bytes);
    void give_back(const std::string& owner, std::uint64_t bytes);

    const std::uint64_t most_bytes_, most_bytes_of_owner_;
    mutable std::mutex mutex_;
    std::uint64_t used_ = 0;
    std::map<std::string, std::uint64_t> used_by_;  // none that is 0
};

// What one body or answer holds. One thread at a time.
class MemoryBudget::Share {
public:
    Share() = default;
    Share(Share&& other) noexcept
        : budget_(std::move(other.budget_)),
          owner_(std::move(other.owner_)),
          bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept {
        std::swap(budget_, other.budget_);
        std::swap(owner_, other.owner_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~Share() { shrink_to(0); }

    // Nothing is changed if there is not room enough. A share of no budget always has room. Who holds nothing
    // yet may have one thing that is larger than an owner's part.
    Room grow_to(std::uint64_t bytes);
    void shrink_to(std::uint64_t bytes);
    std::uint64_t bytes() const { return bytes_; }
    const std::string& owner() const { return owner_; }

private:
    friend class MemoryBudget;
    Share(std::shared_ptr<MemoryBudget> budget, std::string owner)
        : budget_(std::move(budget)), owner_(std::move(owner)) {}

    std::shared_ptr<MemoryBudget> budget_;
    std::string owner_;
    std::uint64_t bytes_ = 0;
};

}  // namespace quarry::api
