#include "net/address_limit.h"

#include <algorithm>

#include "net/transfer.h"

namespace quarry::net {

AddressLimit::~AddressLimit() = default;

bool AddressLimit::has_room(const Address& address) const {
    if (most_at_once_ == 0) return true;
    const auto place = places_.find(address);
    return place == places_.end() || place->second.count < most_at_once_;
}

void AddressLimit::enter(const Address& address) {
    if (most_at_once_ > 0) ++places_[address].count;
}

void AddressLimit::leave(const Address& address) {
    const auto place = places_.find(address);
    if (place == places_.end()) return;
    --place->second.count;
    if (place->second.count == 0 && place->second.waiting.empty()) places_.erase(place);
}

void AddressLimit::wait(TransferOwner transfer, const Address& address) {
    places_[address].waiting.push_back(std::move(transfer));
    ++waiting_;
}

bool AddressLimit::has_ready() const {
    return waiting_ > 0 && std::ranges::any_of(places_, [&](const auto& entry) {
               return !entry.second.waiting.empty() && entry.second.count < most_at_once_;
           });
}

std::vector<AddressLimit::TransferOwner> AddressLimit::take_ready() {
    std::vector<TransferOwner> ready;
    if (waiting_ == 0) return ready;
    for (auto& [address, place] : places_)
        for (std::size_t room = most_at_once_ - std::min(most_at_once_, place.count);
             room > 0 && !place.waiting.empty(); --room) {
            ready.push_back(std::move(place.waiting.front()));
            place.waiting.pop_front();
        }
    waiting_ -= ready.size();
    return ready;
}

std::vector<AddressLimit::TransferOwner> AddressLimit::take_if(
    const std::function<bool(const Transfer&)>& is_wanted) {
    std::vector<TransferOwner> taken;
    for (auto& [address, place] : places_) {
        for (auto& transfer : place.waiting)
            if (is_wanted(*transfer)) taken.push_back(std::move(transfer));
        std::erase(place.waiting, nullptr);
    }
    waiting_ -= taken.size();
    return taken;
}

}  // namespace quarry::net
