// Keeps many names that lead to one address from crowding it: politeness per host name cannot see that a
// thousand blogs are one server.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "net/address.h"

namespace quarry::net {

class Transfer;

// Counts transfers that use a connection, not idle connections: those cost the server little, and nobody
// could be asked to close one. Internal to the HTTP client and used only on its thread.
class AddressLimit {
public:
    using TransferOwner = std::unique_ptr<Transfer>;

    // 0 means no limit.
    explicit AddressLimit(std::size_t most_at_once) : most_at_once_(most_at_once) {}
    ~AddressLimit();

    bool has_room(const Address& address) const;
    void enter(const Address& address);
    void leave(const Address& address);

    // Takes a transfer that found no room at the address. It comes back when there is some, which it may find
    // taken again.
    void wait(TransferOwner transfer, const Address& address);
    std::vector<TransferOwner> take_ready();
    bool has_ready() const;

    // Removes and returns the waiting transfers for which this holds.
    std::vector<TransferOwner> take_if(const std::function<bool(const Transfer&)>& is_wanted);

private:
    struct Place {
        std::size_t count = 0;
        std::deque<TransferOwner> waiting{};
    };
    struct Less {
        bool operator()(const Address& a, const Address& b) const {
            return std::pair(a.is_v4(), a.bytes()) < std::pair(b.is_v4(), b.bytes());
        }
    };

    const std::size_t most_at_once_;
    std::map<Address, Place, Less> places_;  // where somebody is, or waits
    std::size_t waiting_ = 0;                // at all places
};

}  // namespace quarry::net
