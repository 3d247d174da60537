#include "index/embedded/signs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <new>
#include <tuple>

#include <sys/mman.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace quarry::index {

namespace {

constexpr std::size_t together = 8;

// The sum over the dimensions in which the signs differ of the query's magnitude there.
[[gnu::always_inline]] inline void plain_distances(const SignQuery& query, const std::uint64_t* bits,
                                                   std::size_t groups, std::uint16_t* distances) {
    const std::size_t words = query.signs.size();
    for (std::size_t slot = 0; slot < groups * together; ++slot) {
        const std::uint64_t* from = bits + slot / together * together * words + slot % together;
        int distance = 0;
        for (std::size_t word = 0; word < words; ++word) {
            const std::uint64_t differ = from[word * together] ^ query.signs[word];
            for (std::size_t plane = 0; plane < SignQuery::planes; ++plane) {
                distance += std::popcount(differ & query.magnitudes[plane][word]) << plane;
            }
        }
        distances[slot] = static_cast<std::uint16_t>(distance);
    }
}

void anywhere(const SignQuery& query, const std::uint64_t* bits, std::size_t groups,
              std::uint16_t* distances) {
    plain_distances(query, bits, groups, distances);
}

#if defined(__x86_64__)

__attribute__((target("popcnt"))) void with_popcnt(const SignQuery& query, const std::uint64_t* bits,
                                                   std::size_t groups, std::uint16_t* distances) {
    plain_distances(query, bits, groups, distances);
}

// Counts bits by looking up each half byte. The table of a plane has its counts already multiplied.
__attribute__((target("avx2"))) void with_avx2(const SignQuery& query, const std::uint64_t* bits,
                                               std::size_t groups, std::uint16_t* distances) {
    const std::size_t words = query.signs.size();
    const __m256i counts =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m256i low_half = _mm256_set1_epi8(15);
    for (std::size_t half = 0; half < groups * 2; ++half) {
        const std::uint64_t* from = bits + half / 2 * together * words + half % 2 * 4;
        __m256i sums = _mm256_setzero_si256();
        for (std::size_t word = 0; word < words; ++word) {
            const __m256i four = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + word * together));
            const __m256i differ =
                _mm256_xor_si256(four, _mm256_set1_epi64x(static_cast<long long>(query.signs[word])));
            __m256i bytes = _mm256_setzero_si256();  // at most 8 bits times 7
            for (std::size_t plane = SignQuery::planes; plane-- > 0;) {
                const __m256i magnitudes =
                    _mm256_set1_epi64x(static_cast<long long>(query.magnitudes[plane][word]));
                const __m256i counted = _mm256_and_si256(differ, magnitudes);
                const __m256i lower = _mm256_and_si256(counted, low_half);
                const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(counted, 4), low_half);
                bytes = _mm256_add_epi8(
                    _mm256_add_epi8(bytes, bytes),
                    _mm256_add_epi8(_mm256_shuffle_epi8(counts, lower), _mm256_shuffle_epi8(counts, upper)));
            }
            sums = _mm256_add_epi64(sums, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
        }
        alignas(32) std::uint64_t four_sums[4];
        _mm256_store_si256(reinterpret_cast<__m256i*>(four_sums), sums);
        for (std::size_t i = 0; i < 4; ++i)
            distances[half * 4 + i] = static_cast<std::uint16_t>(four_sums[i]);
    }
}

__attribute__((target("avx512f,avx512vl,avx512vpopcntdq"))) void with_avx512(const SignQuery& query,
                                                                             const std::uint64_t* bits,
                                                                             std::size_t groups,
                                                                             std::uint16_t* distances) {
    const std::size_t words = query.signs.size();
    for (std::size_t group = 0; group < groups; ++group) {
        const std::uint64_t* from = bits + group * together * words;
        __m512i sums = _mm512_setzero_si512();
        for (std::size_t word = 0; word < words; ++word) {
            const __m512i eight = _mm512_loadu_si512(from + word * together);
            const __m512i differ =
                _mm512_xor_si512(eight, _mm512_set1_epi64(static_cast<long long>(query.signs[word])));
            __m512i counts = _mm512_setzero_si512();
            for (std::size_t plane = SignQuery::planes; plane-- > 0;) {
                const __m512i magnitudes =
                    _mm512_set1_epi64(static_cast<long long>(query.magnitudes[plane][word]));
                counts = _mm512_add_epi64(_mm512_add_epi64(counts, counts),
                                          _mm512_popcnt_epi64(_mm512_and_si512(differ, magnitudes)));
            }
            sums = _mm512_add_epi64(sums, counts);
        }
        _mm_storeu_si128(reinterpret_cast<__m128i*>(distances + group * together),
                         _mm512_maskz_cvtepi64_epi16(0xff, sums));
    }
}

#endif

std::vector<NamedSignDistance> runnable() {
    std::vector<NamedSignDistance> functions;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq")) {
        functions.push_back({"avx512", with_avx512});
    }
    if (__builtin_cpu_supports("avx2")) functions.push_back({"avx2", with_avx2});
    if (__builtin_cpu_supports("popcnt")) functions.push_back({"popcnt", with_popcnt});
#endif
    functions.push_back({"anywhere", anywhere});
    return functions;
}

}  // namespace

std::span<const NamedSignDistance> sign_distances() {
    static const std::vector<NamedSignDistance> functions = runnable();
    return functions;
}

SignQuery make_sign_query(std::span<const float> query, std::size_t words) {
    double sum = 0;
    for (const float x : query) sum += std::abs(x);
    // The largest step is for what is over twice the average: of the few larger ones nothing is gained.
    constexpr int largest = (1 << SignQuery::planes) - 1;
    const double average = query.empty() ? 0 : sum / static_cast<double>(query.size());
    const double steps = average > 0 ? largest / (2.2 * average) : 0;

    SignQuery prepared{.signs = std::vector<std::uint64_t>(words)};
    prepared.magnitudes.fill(std::vector<std::uint64_t>(words));
    for (std::size_t i = 0; i < query.size(); ++i) {
        const std::uint64_t bit = std::uint64_t{1} << (i % 64);
        if (query[i] > 0) prepared.signs[i / 64] |= bit;
        const double magnitude = std::min<double>(largest, std::abs(query[i]) * steps + 0.5);
        for (std::size_t plane = 0; plane < SignQuery::planes; ++plane) {
            if (static_cast<int>(magnitude) >> plane & 1) prepared.magnitudes[plane][i / 64] |= bit;
        }
    }
    return prepared;
}

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
    // An object and not a function, so that sorting inlines it.
    static constexpr auto before = [](const SignCandidate& a, const SignCandidate& b) {
        return a.distance != b.distance ? a.distance < b.distance : a.slot < b.slot;
    };

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

namespace {

constexpr std::size_t row_bytes = slots_per_block / 8;
constexpr std::size_t header_bytes = 2 * row_bytes;  // seen, has

}  // namespace

SignWords signs_of(std::span<const float> vector) {
    SignWords words(words_for(static_cast<int>(vector.size())));
    for (std::size_t at = 0; at < vector.size(); ++at) {
        if (vector[at] > 0) words[at / 64] |= std::uint64_t{1} << (at % 64);
    }
    return words;
}

SignBlock::SignBlock(int dimensions)
    : words_(words_for(dimensions)), bytes_(header_bytes + slots_per_block * words_ * 8, '\0') {}

std::optional<SignBlock> SignBlock::parse(std::string_view bytes, int dimensions) {
    SignBlock block(dimensions);
    if (bytes.size() != block.bytes_.size() && bytes.size() != header_bytes) return std::nullopt;
    bytes.copy(block.bytes_.data(), bytes.size());
    return block;
}

bool SignBlock::bit(std::size_t row, Slot slot) const {
    const Slot at = slot % slots_per_block;
    return (static_cast<std::uint8_t>(bytes_[row * row_bytes + at / 8]) >> (at % 8) & 1) != 0;
}

void SignBlock::set_bit(std::size_t row, Slot slot, bool value) {
    const Slot at = slot % slots_per_block;
    const auto mask = static_cast<std::uint8_t>(1u << (at % 8));
    auto byte = static_cast<std::uint8_t>(bytes_[row * row_bytes + at / 8]);
    byte = static_cast<std::uint8_t>(value ? byte | mask : byte & ~mask);
    bytes_[row * row_bytes + at / 8] = static_cast<char>(byte);
}

void SignBlock::put(Slot slot, std::span<const std::uint64_t> signs) {
    set_bit(0, slot, true);
    set_bit(1, slot, !signs.empty());
    // The numbers lie as this machine has them: the file is made anew on another, from the pages.
    if (signs.size() == words_ && words_ > 0) {
        std::memcpy(bytes_.data() + header_bytes + slot % slots_per_block * words_ * 8, signs.data(),
                    words_ * 8);
    }
}

void SignBlock::clear(Slot slot) {
    set_bit(0, slot, false);
    set_bit(1, slot, false);
}

SignWords SignBlock::signs(Slot slot) const {
    SignWords words(words_);
    if (words_ > 0) {
        std::memcpy(words.data(), bytes_.data() + header_bytes + slot % slots_per_block * words_ * 8,
                    words_ * 8);
    }
    return words;
}

// Very long vectors are told apart by their first dimensions; what is found is compared in all of them.
Signs::Signs(int dimensions) : dimensions_(dimensions) {
    if (dimensions > 0) {
        bits_.emplace(std::min(static_cast<std::size_t>(dimensions), SignBits::max_dimensions));
    }
}

void Signs::put(Slot slot, std::span<const std::uint64_t> signs) {
    if (!bits_ || signs.size() != words_for(dimensions_)) return remove(slot);
    has_.grow(slot + std::size_t{1});
    if (!has_.has(slot)) ++count_;
    has_.set(slot);
    bits_->set_packed(slot, signs);
}

void Signs::remove(Slot slot) {
    if (!has_.has(slot)) return;
    has_.clear(slot);
    bits_->clear(slot);
    --count_;
}

std::vector<SignCandidate> Signs::nearest(std::span<const float> vector, std::size_t limit,
                                          const Bits* allowed) const {
    if (!bits_) return {};
    const std::span<const float> beginning = vector.first(std::min(vector.size(), bits_->dimensions()));
    return allowed ? bits_->nearest(beginning, limit, allowed->words()) : bits_->nearest(beginning, limit);
}

}  // namespace quarry::index
