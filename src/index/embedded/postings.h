// Numbers of one to ten bytes, seven bits each, the lowest first: what everything packed here is made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quarry::index {

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

}  // namespace quarry::index
