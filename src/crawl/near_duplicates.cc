#include "crawl/near_duplicates.h"

#include <algorithm>

#include "crawl/simhash.h"

namespace quarry::crawl {

namespace {

constexpr std::size_t band_values = 1 << 16;
constexpr int most_compared = 256;  // in each band

std::size_t band_of(std::uint64_t hash, std::size_t band) {
    return hash >> (16 * band) & (band_values - 1);
}

}  // namespace

NearDuplicates::NearDuplicates(std::size_t capacity) : capacity_(std::max<std::size_t>(1, capacity)) {
    for (auto& band : latest_) band.resize(band_values);
}

const NearDuplicates::Entry* NearDuplicates::entry(Number number) const {
    const bool alive = number != 0 && last_ - number < capacity_;
    return alive ? &entries_[number % capacity_] : nullptr;
}

std::optional<UrlKey> NearDuplicates::find(std::uint64_t hash, const UrlKey& page) const {
    for (std::size_t band = 0; band < bands; ++band) {
        const Entry* candidate = entry(latest_[band][band_of(hash, band)]);
        for (int i = 0; candidate != nullptr && i < most_compared; ++i) {
            if (candidate->page != page && simhash_distance(candidate->hash, hash) <= largest_distance)
                return candidate->page;
            candidate = entry(candidate->before[band]);
        }
    }
    return std::nullopt;
}

void NearDuplicates::remember(std::uint64_t hash, const UrlKey& page) {
    ++last_;
    const std::size_t slot = last_ % capacity_;
    if (slot >= entries_.size()) entries_.resize(slot + 1);
    Entry& entry = entries_[slot];
    entry = {.hash = hash, .page = page};
    for (std::size_t band = 0; band < bands; ++band) {
        Number& latest = latest_[band][band_of(hash, band)];
        entry.before[band] = latest;
        latest = last_;
    }
}

std::optional<UrlKey> NearDuplicates::add(std::uint64_t hash, const UrlKey& page) {
    if (hash == 0) return std::nullopt;
    if (auto near = find(hash, page)) return near;
    remember(hash, page);
    return std::nullopt;
}

}  // namespace quarry::crawl
