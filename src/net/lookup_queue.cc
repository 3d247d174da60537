#include "net/lookup_queue.h"

#include "url/domain.h"

namespace quarry::net {

namespace {

// Shorter than Transfer::dns_cache_time: who starts because a name is known must find it in curl's cache.
constexpr std::chrono::seconds known_time{50};
static_assert(known_time < Transfer::dns_cache_time);

// More would have to be looked up in a minute before the oldest are forgotten early.
constexpr std::size_t most_known_names = 20'000;

}  // namespace

void LookupQueue::add(TransferOwner transfer, std::string_view name, Time now) {
    if (url::is_ip_address(name)) return release(std::move(transfer), Transfer::NameState::address);
    if (is_known(name, now)) return release(std::move(transfer), Transfer::NameState::known);
    auto found = lookups_.find(name);
    if (found == lookups_.end()) {
        found = lookups_.emplace(name, Lookup{}).first;
        turns_.emplace_back(name);
    }
    found->second.waiting.push_back(std::move(transfer));
    start_next_lookups();
}

void LookupQueue::start_next_lookups() {
    while (running_ < max_lookups_ && !turns_.empty()) {
        const auto next = lookups_.find(turns_.front());
        turns_.pop_front();
        // Everybody who waited for it may have left, and others come since, with a turn of their own.
        if (next == lookups_.end() || next->second.is_running) continue;
        Lookup& lookup = next->second;
        lookup.is_running = true;
        ++running_;
        release(std::move(lookup.waiting.front()), Transfer::NameState::unknown);
        lookup.waiting.pop_front();
    }
}

void LookupQueue::found(std::string_view name, Time now) {
    remember(name, now);
    auto lookup = lookups_.extract(lookups_.find(name));
    --running_;
    for (auto& transfer : lookup.mapped().waiting) release(std::move(transfer), Transfer::NameState::known);
    start_next_lookups();
}

// The next of those who wait asks again: the answer may have been a matter of the moment, and each is owed
// its own.
void LookupQueue::not_found(std::string_view name) {
    const auto lookup = lookups_.find(name);
    --running_;
    if (lookup->second.waiting.empty()) {
        lookups_.erase(lookup);
    } else {
        lookup->second.is_running = false;
        turns_.push_back(lookup->first);
    }
    start_next_lookups();
}

void LookupQueue::release(TransferOwner transfer, Transfer::NameState state) {
    transfer->set_name_state(state);
    ready_.push_back(std::move(transfer));
}

std::vector<LookupQueue::TransferOwner> LookupQueue::take_if(
    const std::function<bool(const Transfer&)>& is_wanted) {
    std::vector<TransferOwner> taken;
    const auto take_from = [&](auto& transfers) {
        for (auto& transfer : transfers)
            if (is_wanted(*transfer)) taken.push_back(std::move(transfer));
        std::erase(transfers, nullptr);
    };
    for (auto& [name, lookup] : lookups_) take_from(lookup.waiting);
    std::erase_if(lookups_,
                  [](const auto& entry) { return !entry.second.is_running && entry.second.waiting.empty(); });
    return taken;
}

bool LookupQueue::is_known(std::string_view name, Time now) const {
    const auto known = known_.find(name);
    return known != known_.end() && now < known->second;
}

void LookupQueue::remember(std::string_view name, Time now) {
    if (known_.size() >= most_known_names)
        std::erase_if(known_, [&](const auto& entry) { return entry.second <= now; });
    if (known_.size() >= most_known_names) known_.clear();
    known_.insert_or_assign(std::string(name), now + known_time);
}

}  // namespace quarry::net
