#include "store/redis/message.h"

namespace quarry::store::redis {

namespace {

// Of the specification of MessagePack.
constexpr unsigned char boolean_false = 0xc2, int_64 = 0xd3, text_32 = 0xdb;
constexpr std::size_t largest_16 = 0xffff;

}  // namespace

void Message::number(std::uint64_t value, int bytes) {
    for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8)
        bytes_ += static_cast<char>(value >> shift & 0xff);
}

// `kind` is that with a size of 16 bits; the next one has 32.
Message& Message::header(unsigned char kind, std::size_t size) {
    const bool is_large = size > largest_16;
    bytes_ += static_cast<char>(is_large ? kind + 1 : kind);
    number(size, is_large ? 4 : 2);
    return *this;
}

Message& Message::add(std::int64_t value) {
    if (value >= 0 && value < 128) {
        bytes_ += static_cast<char>(value);
        return *this;
    }
    bytes_ += static_cast<char>(int_64);
    number(static_cast<std::uint64_t>(value), 8);
    return *this;
}

Message& Message::add(std::string_view text) {
    bytes_ += static_cast<char>(text_32);
    number(text.size(), 4);
    bytes_ += text;
    return *this;
}

Message& Message::nothing() {
    bytes_ += static_cast<char>(boolean_false);
    return *this;
}

}  // namespace quarry::store::redis
