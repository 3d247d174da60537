// Which transfers may start as far as DNS is concerned. curl looks a name up once per transfer, also a
// hundred times at once, and starts a thread for each. Here one transfer looks a name up while the others for
// that name wait for its answer, a bounded number of names is looked up at once, and nobody waits who needs
// no lookup.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "net/transfer.h"

namespace quarry::net {

// Internal to the HTTP client and used only on its thread. The caller brings the time.
class LookupQueue {
public:
    using Time = std::chrono::steady_clock::time_point;
    using TransferOwner = std::unique_ptr<Transfer>;

    explicit LookupQueue(std::size_t max_lookups) : max_lookups_(max_lookups) {}

    // Takes a transfer that will connect to `name`, which may be an address. It comes back through
    // take_ready(), at once or when a lookup has ended. Its Transfer::name_state says what it has to do, and
    // if that is a lookup, one call of found() or not_found() must follow.
    void add(TransferOwner transfer, std::string_view name, Time now);

    // The transfer that looked the name up has an address, or has ended without one.
    void found(std::string_view name, Time now);
    void not_found(std::string_view name);

    // Transfers that may start, in the order in which they became ready.
    std::vector<TransferOwner> take_ready() { return std::exchange(ready_, {}); }
    bool has_ready() const { return !ready_.empty(); }

    // Removes and returns the waiting transfers for which this holds.
    std::vector<TransferOwner> take_if(const std::function<bool(const Transfer&)>& is_wanted);

private:
    // A name that is being looked up, or will be when there is room.
    struct Lookup {
        bool is_running = false;
        std::deque<TransferOwner> waiting{};
    };
    struct NameHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
    };
    template <typename Value>
    using ByName = std::unordered_map<std::string, Value, NameHash, std::equal_to<>>;

    bool is_known(std::string_view name, Time now) const;
    void remember(std::string_view name, Time now);
    void start_next_lookups();
    void release(TransferOwner transfer, Transfer::NameState state);

    const std::size_t max_lookups_;
    std::size_t running_ = 0;
    ByName<Lookup> lookups_;
    std::deque<std::string> turns_;  // names that are not looked up yet, the oldest first
    ByName<Time> known_;             // until when
    std::vector<TransferOwner> ready_;
};

}  // namespace quarry::net
