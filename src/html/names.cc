#include "html/names.h"

#include <array>
#include <utility>

namespace quarry::html {

namespace {

#define QUARRY_NAME(name) std::string_view(#name),
#define QUARRY_NAME_SPELT(name, spelling) std::string_view(spelling),
constexpr std::array<std::string_view, listed_tags> tag_spellings = {
    QUARRY_HTML_TAGS(QUARRY_NAME) QUARRY_HTML_TAGS_SPELT(QUARRY_NAME_SPELT)};
constexpr std::array<std::string_view, listed_attributes> attribute_spellings = {
    QUARRY_HTML_ATTRIBUTES(QUARRY_NAME) QUARRY_HTML_ATTRIBUTES_SPELT(QUARRY_NAME_SPELT)};
#undef QUARRY_NAME
#undef QUARRY_NAME_SPELT

// An open-addressing table made at compile time, under half full so that a miss ends after a probe or two.
template <std::size_t Slots>
struct ListedNames {
    static_assert((Slots & (Slots - 1)) == 0);
    struct Slot {
        std::uint64_t word = 0;
        std::uint16_t length = 0;  // 0: an empty slot
        std::uint16_t number = 0;
    };
    std::array<Slot, Slots> slots{};

    template <std::size_t Count>
    constexpr explicit ListedNames(const std::array<std::string_view, Count>& names) {
        static_assert(Count * 2 <= Slots);
        for (std::size_t i = 0; i < Count; ++i) {
            const HashedName name(names[i]);
            std::size_t at = name.hash % Slots;
            while (slots[at].length != 0) at = (at + 1) % Slots;
            slots[at] = {name.word, static_cast<std::uint16_t>(names[i].size()),
                         static_cast<std::uint16_t>(i)};
        }
    }

    template <std::size_t Count>
    std::optional<std::uint16_t> find(const HashedName& name,
                                      const std::array<std::string_view, Count>& names) const {
        for (std::size_t at = name.hash % Slots; slots[at].length != 0; at = (at + 1) % Slots) {
            const Slot& slot = slots[at];
            if (slot.word != name.word || slot.length != name.text.size()) continue;
            if (slot.length <= 8 || names[slot.number] == name.text) return slot.number;
        }
        return std::nullopt;
    }
};

constexpr ListedNames<512> listed_tag_table{tag_spellings};
constexpr ListedNames<256> listed_attribute_table{attribute_spellings};

}  // namespace

std::string_view spelling(Tag tag) {
    return tag_spellings[static_cast<std::size_t>(tag)];
}

std::string_view spelling(Attr name) {
    return attribute_spellings[static_cast<std::size_t>(name)];
}

std::optional<Tag> find_listed_tag(const HashedName& name) {
    const auto number = listed_tag_table.find(name, tag_spellings);
    return number ? std::optional(static_cast<Tag>(*number)) : std::nullopt;
}

std::optional<Attr> find_listed_attribute(const HashedName& name) {
    const auto number = listed_attribute_table.find(name, attribute_spellings);
    return number ? std::optional(static_cast<Attr>(*number)) : std::nullopt;
}

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
