#include "index/embedded/postings.h"

namespace quarry::index {

void pack_postings(const std::vector<Posting>& postings, std::string& bytes) {
    put_number(bytes, postings.size());
    std::uint64_t next = 0;
    for (const Posting& posting : postings) {
        const std::uint64_t head = (posting.slot - next) << 1;
        if (posting.count == 1) {
            put_number(bytes, head);
        } else {
            put_number(bytes, head | 1);
            put_number(bytes, posting.count);
        }
        next = std::uint64_t{posting.slot} + 1;
    }
}

std::string pack_slots(const std::vector<Slot>& slots) {
    std::string bytes;
    put_number(bytes, slots.size());
    std::uint64_t next = 0;
    for (const Slot slot : slots) {
        put_number(bytes, slot - next);
        next = std::uint64_t{slot} + 1;
    }
    return bytes;
}

bool unpack_slots(std::string_view bytes, std::vector<Slot>& slots) {
    ByteReader reader(bytes);
    const std::uint32_t count = reader.count();
    slots.clear();
    slots.reserve(count);
    std::uint64_t next = 0;
    for (std::uint32_t read = 0; read < count; ++read) {
        const std::uint64_t slot = next + reader.small_number();
        if (slot >= UINT32_MAX || !reader.is_sound()) return false;
        slots.push_back(static_cast<Slot>(slot));
        next = slot + 1;
    }
    return reader.is_sound() && reader.at_end();
}

}  // namespace quarry::index
