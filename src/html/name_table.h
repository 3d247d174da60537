// The names of one page that names.h does not list: each gets the next free number. Bounded in size and in
// time per lookup, so that a page of a million invented names costs no more than any other.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "html/name_hash.h"

namespace quarry::html {

class NameTable {
public:
    // What a name gets when the table is full, or when too many names share its place in the table.
    static constexpr std::uint16_t overflow = UINT16_MAX;

    explicit NameTable(std::size_t listed) : first_(static_cast<std::uint16_t>(listed)) {}

    // The number of the name, new if need be. The table keeps the view: its bytes must live as long.
    std::uint16_t intern(const HashedName& name);
    std::optional<std::uint16_t> find(const HashedName& name) const;
    // The text of a number that `intern` gave.
    std::string_view name(std::uint16_t number) const;

private:
    static constexpr std::size_t max_names = 20'000;
    // Names made to collide would otherwise make every lookup a walk over all of them.
    static constexpr std::size_t max_probes = 48;

    struct Slot {
        std::uint32_t hash = 0;
        std::uint16_t number = overflow;  // overflow: an empty slot
    };
    void grow();

    std::vector<Slot> slots_;
    std::vector<std::string_view> names_;
    std::uint16_t first_;
};

}  // namespace quarry::html
