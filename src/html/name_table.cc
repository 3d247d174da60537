#include "html/name_table.h"

#include <utility>

namespace quarry::html {

std::uint16_t NameTable::intern(const HashedName& name) {
    if ((names_.size() + 1) * 2 > slots_.size() && slots_.size() < max_names * 2) grow();
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = name.hash & mask;
    for (std::size_t probe = 0; probe < max_probes; ++probe, at = (at + 1) & mask) {
        Slot& slot = slots_[at];
        if (slot.number == overflow) {
            if (names_.size() == max_names) return overflow;
            slot = {name.hash, static_cast<std::uint16_t>(first_ + names_.size())};
            names_.push_back(name.text);
            return slot.number;
        }
        if (slot.hash == name.hash && names_[slot.number - first_] == name.text) return slot.number;
    }
    return overflow;
}

std::optional<std::uint16_t> NameTable::find(const HashedName& name) const {
    if (slots_.empty()) return std::nullopt;
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = name.hash & mask;
    for (std::size_t probe = 0; probe < max_probes; ++probe, at = (at + 1) & mask) {
        const Slot& slot = slots_[at];
        if (slot.number == overflow) return std::nullopt;
        if (slot.hash == name.hash && names_[slot.number - first_] == name.text) return slot.number;
    }
    return std::nullopt;
}

std::string_view NameTable::name(std::uint16_t number) const {
    const std::size_t index = static_cast<std::size_t>(number) - first_;
    return index < names_.size() ? names_[index] : std::string_view("unknown");
}

void NameTable::grow() {
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 64 : slots_.size() * 2));
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
        if (slot.number == overflow) continue;
        std::size_t at = slot.hash & mask;
        while (slots_[at].number != overflow) at = (at + 1) & mask;
        slots_[at] = slot;
    }
}

}  // namespace quarry::html
