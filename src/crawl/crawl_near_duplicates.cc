#include "crawl/near_duplicates.h"

#include <algorithm>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

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

const NearDuplicates::Entry* NearDuplicates::find(const Entry& page) const {
    for (std::size_t band = 0; band < bands; ++band) {
        const Entry* candidate = entry(latest_[band][band_of(page.hash, band)]);
        for (int i = 0; candidate != nullptr && i < most_compared; ++i) {
            const int allowed =
                candidate->title == page.title ? largest_distance : largest_distance_of_others;
            if (candidate->page != page.page && simhash_distance(candidate->hash, page.hash) <= allowed)
                return candidate;
            candidate = entry(candidate->before[band]);
        }
    }
    return nullptr;
}

void NearDuplicates::remember(Entry page) {
    ++last_;
    for (std::size_t band = 0; band < bands; ++band)
        page.before[band] = std::exchange(latest_[band][band_of(page.hash, band)], last_);
    const std::size_t slot = last_ % capacity_;
    if (slot >= entries_.size()) entries_.resize(slot + 1);
    entries_[slot] = page;
}

std::optional<UrlKey> NearDuplicates::add(std::uint64_t hash, std::string_view title, const UrlKey& page) {
    if (hash == 0) return std::nullopt;
    const Entry added{.hash = hash, .title = XXH3_64bits(title.data(), title.size()), .page = page};
    if (const Entry* near = find(added)) return near->page;
    remember(added);
    return std::nullopt;
}

}  // namespace quarry::crawl
