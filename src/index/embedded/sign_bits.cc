#include "index/embedded/signs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <new>
#include <tuple>

#include <sys/mman.h>

#include "index/embedded/sign_distance.h"

namespace quarry::index {

namespace {

// Keeps the smallest of many distances that come in order of their slots.
class Nearest {
public:
    explicit Nearest(std::size_t limit) : limit_(limit) { found_.reserve(2 * limit); }

    // What is not below this cannot be among them any more.
    std::uint16_t bound() const { return bound_; }

    void add(SignCandidate candidate) {
        found_.push_back(candidate);
        if (found_.size() == 2 * limit_) shrink();
    }

    std::vector<SignCandidate> take() {
        std::ranges::sort(found_, before);
        found_.resize(std::min(found_.size(), limit_));
        return std::move(found_);
    }

private:
    static bool before(const SignCandidate& a, const SignCandidate& b) {
        return std::tie(a.distance, a.slot) < std::tie(b.distance, b.slot);
    }

    // Only now and then, so that keeping one costs little whatever the limit.
    void shrink() {
        const auto last = found_.begin() + static_cast<std::ptrdiff_t>(limit_) - 1;
        std::ranges::nth_element(found_, last, before);
        bound_ = last->distance;
        found_.resize(limit_);
    }

    std::size_t limit_;
    std::uint16_t bound_ = UINT16_MAX;
    std::vector<SignCandidate> found_{};
};

// Which of 64 distances are below the bound.
std::uint64_t below(const std::uint16_t* distances, std::uint16_t bound) {
    std::uint16_t least = UINT16_MAX;
    for (int i = 0; i < 64; ++i) least = std::min(least, distances[i]);
    if (least >= bound) return 0;
    std::uint64_t bits = 0;
    for (int i = 0; i < 64; ++i) bits |= static_cast<std::uint64_t>(distances[i] < bound) << i;
    return bits;
}

}  // namespace

SignBits::SignBits(std::size_t dimensions)
    : dimensions_(dimensions), words_per_slot_((dimensions + 63) / 64) {
    assert(dimensions >= 1 && dimensions <= max_dimensions);  // a distance would not fit into 16 bits
}

std::size_t SignBits::memory_bytes() const {
    return used_.size() * 64 * words_per_slot_ * sizeof(std::uint64_t) +
           used_.capacity() * sizeof(std::uint64_t);
}

SignBits::Piece SignBits::new_piece() const {
    constexpr std::size_t huge_page = 2 << 20;
    const std::size_t bytes = slots_of_piece * words_per_slot_ * sizeof(std::uint64_t);
    static_assert(slots_of_piece * sizeof(std::uint64_t) % huge_page == 0);
    Piece piece(static_cast<std::uint64_t*>(std::aligned_alloc(huge_page, bytes)));
    if (!piece) throw std::bad_alloc();  // as any container would
    // Advice: what comes of it does not matter. A small index need not take large pages.
    if (!pieces_.empty()) ::madvise(piece.get(), bytes, MADV_HUGEPAGE);
    return piece;
}

// Memory is cleared as slots come into use, and only then taken from the system.
void SignBits::ensure_slot(std::uint32_t slot) {
    while (used_.size() <= slot / 64) {
        const std::size_t first = used_.size() * 64, within = first % slots_of_piece;
        if (within == 0) pieces_.push_back(new_piece());
        std::fill_n(pieces_.back().get() + within * words_per_slot_, 64 * words_per_slot_, std::uint64_t{0});
        used_.push_back(0);
    }
}

std::uint64_t* SignBits::words_of(std::uint32_t slot) {
    const std::size_t within = slot % slots_of_piece;
    return pieces_[slot / slots_of_piece].get() + within / slots_together * slots_together * words_per_slot_ +
           within % slots_together;
}

template <typename Number>
void SignBits::set_signs(std::uint32_t slot, std::span<const Number> vector) {
    ensure_slot(slot);
    std::uint64_t* words = words_of(slot);
    const std::size_t size = std::min(vector.size(), dimensions_);
    for (std::size_t word = 0; word < words_per_slot_; ++word) {
        std::uint64_t bits = 0;
        for (std::size_t i = word * 64; i < std::min(size, word * 64 + 64); ++i) {
            bits |= static_cast<std::uint64_t>(vector[i] > 0) << (i % 64);
        }
        words[word * slots_together] = bits;
    }
    used_[slot / 64] |= std::uint64_t{1} << (slot % 64);
}

void SignBits::set(std::uint32_t slot, std::span<const float> vector) {
    set_signs(slot, vector);
}

void SignBits::set(std::uint32_t slot, std::span<const std::int8_t> vector) {
    set_signs(slot, vector);
}

void SignBits::set_packed(std::uint32_t slot, std::span<const std::uint64_t> signs) {
    ensure_slot(slot);
    std::uint64_t* words = words_of(slot);
    for (std::size_t word = 0; word < words_per_slot_; ++word) {
        words[word * slots_together] = word < signs.size() ? signs[word] : 0;
    }
    used_[slot / 64] |= std::uint64_t{1} << (slot % 64);
}

void SignBits::clear(std::uint32_t slot) {
    if (slot / 64 < used_.size()) used_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
}

std::vector<SignCandidate> SignBits::nearest(std::span<const float> query, std::size_t limit) const {
    return nearest(query, limit, used_);
}

std::vector<SignCandidate> SignBits::nearest(std::span<const float> query, std::size_t limit,
                                             std::span<const std::uint64_t> allowed) const {
    if (limit == 0) return {};
    const SignQuery prepared = make_sign_query(query, words_per_slot_);
    const SignDistance distance = sign_distances().front().function;
    Nearest nearest(limit);
    std::array<std::uint16_t, 64> distances;
    for (std::size_t word = 0; word < std::min(used_.size(), allowed.size()); ++word) {
        const std::uint64_t candidates = used_[word] & allowed[word];
        if (candidates == 0) continue;
        const std::size_t slot = word * 64, within = slot % slots_of_piece;
        distance(prepared, pieces_[slot / slots_of_piece].get() + within * words_per_slot_,
                 64 / slots_together, distances.data());
        for (std::uint64_t bits = candidates & below(distances.data(), nearest.bound()); bits != 0;
             bits &= bits - 1) {
            const auto i = static_cast<std::uint32_t>(std::countr_zero(bits));
            if (distances[i] < nearest.bound()) {
                nearest.add({static_cast<std::uint32_t>(slot) + i, distances[i]});
            }
        }
    }
    return nearest.take();
}

}  // namespace quarry::index
