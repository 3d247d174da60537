// What scripts are asked, as MessagePack, which Redis' Lua reads by itself. Written in order: a list or a map
// says first how many follow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/base_clock.h"

namespace quarry::store::redis {

class Message {
public:
    Message& list(std::size_t size) { return header(0xdc, size); }
    Message& map(std::size_t size) { return header(0xde, size); }
    Message& add(std::int64_t number);
    Message& add(std::string_view text);
    Message& add(const char* text) { return add(std::string_view(text)); }
    Message& add(const std::string& text) { return add(std::string_view(text)); }
    Message& add(int number) { return add(std::int64_t{number}); }
    Message& add(bool value) { return add(std::int64_t{value ? 1 : 0}); }
    Message& add(Timestamp time) { return add(std::int64_t{time.time_since_epoch().count()}); }
    Message& nothing();  // false, in Lua
    Message& append(const Message& other) {
        bytes_ += other.bytes_;
        return *this;
    }

    const std::string& bytes() const { return bytes_; }

private:
    Message& header(unsigned char kind, std::size_t size);
    void number(std::uint64_t value, int bytes);

    std::string bytes_;
};

}  // namespace quarry::store::redis
