#include "index/embedded/embedded_signs.h"

#include <algorithm>
#include <cstring>

namespace quarry::index {

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
