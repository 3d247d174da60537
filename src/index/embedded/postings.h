// Numbers as the index packs them: varints of one to ten bytes, sets of small numbers as bits, and
// postings. Postings say which chunks a term is in, and how often: ascending slots with counts. Nine in ten
// postings of ordinary text take one or two bytes, and reading one takes a few nanoseconds. Bytes that make
// no sense are `corrupt`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace quarry::index {

// What is said when bytes of the index do not make sense.

inline std::unexpected<Error> damaged(const std::string& what) {
    return fail(ErrorCode::corrupt, "the search index is damaged: " + what);
}

// Numbers of one to ten bytes, seven bits each, the lowest first: what everything packed here is made of.

inline void put_number(std::string& bytes, std::uint64_t value) {
    while (value >= 0x80) {
        bytes.push_back(static_cast<char>(value | 0x80));
        value >>= 7;
    }
    bytes.push_back(static_cast<char>(value));
}

inline void put_text(std::string& bytes, std::string_view text) {
    put_number(bytes, text.size());
    bytes.append(text);
}

// Reads what was put, in the same order. The bytes come from a file, so none of it is believed: at the first
// thing that cannot be, everything from there on reads as 0 or "", and is_sound() says so.
class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

    std::uint64_t number() {
        if (at_ != end_ && static_cast<signed char>(*at_) >= 0) return static_cast<std::uint8_t>(*at_++);
        return long_number();
    }
    std::uint32_t small_number() {
        const std::uint64_t value = number();
        if (value > UINT32_MAX) return damaged();
        return static_cast<std::uint32_t>(value);
    }
    std::string_view text() { return take(number()); }
    std::string_view take(std::uint64_t size) {
        if (size > static_cast<std::uint64_t>(end_ - at_)) {
            damaged();
            return {};
        }
        const std::string_view taken(at_, static_cast<std::size_t>(size));
        at_ += size;
        return taken;
    }
    // A count of things that take at least a byte each: no more than there are bytes.
    std::uint32_t count() {
        const std::uint64_t value = number();
        if (value > static_cast<std::uint64_t>(end_ - at_)) return damaged();
        return static_cast<std::uint32_t>(value);
    }

    bool at_end() const { return at_ == end_; }
    bool is_sound() const { return is_sound_; }

private:
    std::uint64_t long_number() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64 && at_ != end_; shift += 7) {
            const auto byte = static_cast<std::uint8_t>(*at_++);
            value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) return value;
        }
        return damaged();
    }
    std::uint32_t damaged() {
        is_sound_ = false;
        at_ = end_;
        return 0;
    }

    const char* at_;
    const char* end_;
    bool is_sound_ = true;
};

// A set of small numbers, such as slots or pages, as one bit each.

class Bits {
public:
    Bits() = default;
    explicit Bits(std::size_t size) : words_((size + 63) / 64) {}

    void grow(std::size_t size) {
        if (words_.size() < (size + 63) / 64) words_.resize((size + 63) / 64);
    }
    void set(std::uint32_t at) { words_[at / 64] |= std::uint64_t{1} << (at % 64); }
    void clear(std::uint32_t at) { words_[at / 64] &= ~(std::uint64_t{1} << (at % 64)); }
    // False beyond the end.
    bool has(std::uint32_t at) const {
        return at / 64 < words_.size() && ((words_[at / 64] >> (at % 64)) & 1) != 0;
    }

    const std::vector<std::uint64_t>& words() const { return words_; }

    // Both are of the same size.
    Bits& operator&=(const Bits& other) {
        for (std::size_t at = 0; at < words_.size(); ++at) words_[at] &= other.words_[at];
        return *this;
    }
    void remove(const Bits& other) {
        for (std::size_t at = 0; at < words_.size(); ++at) words_[at] &= ~other.words_[at];
    }

private:
    std::vector<std::uint64_t> words_;
};

// Which chunks a term is in, and how often: ascending slots with counts, packed. Nine in ten postings of
// ordinary text take one or two bytes, and reading one takes a few nanoseconds.
//
// A list is the number of postings, then for each the distance to the slot before (less one), doubled; if the
// count is not 1, that is odd and the count follows.

// A chunk's place in everything that is kept in memory. Used again once nothing speaks of the former chunk.
using Slot = std::uint32_t;

struct Posting {
    Slot slot = 0;
    std::uint32_t count = 0;
    friend bool operator==(const Posting&, const Posting&) = default;
};

// Ascending slots, each once.
void pack_postings(const std::vector<Posting>& postings, std::string& bytes);

// Calls use(slot, count) for each. False if the list is damaged or names a slot from `slots` on; what came
// before was used.
template <typename Use>
bool each_posting(std::string_view bytes, std::size_t slots, Use use) {
    ByteReader reader(bytes);
    std::uint64_t next = 0;
    for (std::uint32_t left = reader.count(); left > 0; --left) {
        const std::uint64_t head = reader.number();
        const std::uint64_t slot = next + (head >> 1);
        const std::uint32_t count = (head & 1) != 0 ? reader.small_number() : 1;
        if (slot >= slots || !reader.is_sound()) return false;
        use(static_cast<Slot>(slot), count);
        next = slot + 1;
    }
    return reader.is_sound() && reader.at_end();
}

// How many chunks the list names, without reading it.
inline std::uint32_t posting_count(std::string_view bytes) {
    return ByteReader(bytes).count();
}

// Sets of slots at rest: ascending, as distances.
std::string pack_slots(const std::vector<Slot>& slots);
// False if they are damaged.
bool unpack_slots(std::string_view bytes, std::vector<Slot>& slots);

}  // namespace quarry::index
