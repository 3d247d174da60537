#include "text/terms/stem.h"

#include <cstring>
#include <utility>

#include <libstemmer.h>

namespace quarry::text {
namespace {

// In the order of Stemmer::rules_.
struct Script {
    const char* rules;                   // as libstemmer names them
    std::uint8_t first_lead, last_lead;  // what its letters begin with in UTF-8
};
constexpr Script scripts[] = {
    {"porter", 'a', 'z'},   {"russian", 0xD0, 0xD3}, {"greek", 0xCE, 0xCF},
    {"arabic", 0xD8, 0xDB}, {"hindi", 0xE0, 0xE0},
};

bool is_devanagari(std::string_view word, std::size_t at) {
    return at + 1 < word.size() && (word[at + 1] == '\xA4' || word[at + 1] == '\xA5');
}

std::size_t letter_bytes(std::uint8_t lead) {
    if (lead < 0x80) return 1;
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

// The index of the script that all letters of the word are in, or -1.
int script_of(std::string_view word) {
    if (word.empty()) return -1;
    const auto lead = static_cast<std::uint8_t>(word[0]);
    for (int i = 0; const Script& script : scripts) {
        if (lead < script.first_lead || lead > script.last_lead) {
            ++i;
            continue;
        }
        for (std::size_t at = 0; at < word.size(); at += letter_bytes(static_cast<std::uint8_t>(word[at]))) {
            const auto each = static_cast<std::uint8_t>(word[at]);
            if (each < script.first_lead || each > script.last_lead) return -1;
            if (each == 0xE0 && !is_devanagari(word, at)) return -1;
        }
        return i;
    }
    return -1;
}

// Multiplies eight bytes at a time. Only speed hangs on its quality: the cache compares whole words.
std::uint64_t word_hash(std::string_view word) {
    std::uint64_t state = word.size() * 0x9E3779B97F4A7C15;
    while (!word.empty()) {
        std::uint64_t bytes = 0;
        const std::size_t count = word.size() < 8 ? word.size() : 8;
        std::memcpy(&bytes, word.data(), count);
        state = (state ^ bytes) * 0xFF51AFD7ED558CCD;
        state ^= state >> 32;
        word.remove_prefix(count);
    }
    return state;
}

}  // namespace

// A stem is never longer than its word. One fills a line of the processor's cache, which is most of what
// looking it up costs.
struct alignas(64) Stemmer::Remembered {
    static constexpr std::size_t longest = 31;
    std::uint8_t word_size = 0, stem_size = 0;
    std::array<char, longest> word{}, stem{};
};

Stemmer::Stemmer() = default;
Stemmer::~Stemmer() {
    for (sb_stemmer* each : rules_) sb_stemmer_delete(each);
}
Stemmer::Stemmer(Stemmer&& other) noexcept
    : cache_(std::move(other.cache_)), rules_(std::exchange(other.rules_, {})) {}
Stemmer& Stemmer::operator=(Stemmer&& other) noexcept {
    std::swap(cache_, other.cache_);
    std::swap(rules_, other.rules_);
    return *this;
}

std::string_view Stemmer::stem(std::string_view word) {
    if (word.size() < 3) return word;  // Porter's own rule: too short to have an ending.
    if (word.size() > Remembered::longest) return stem_by_rules(word);
    constexpr std::size_t cache_size = 16384;  // a megabyte; the newer word takes the place of the older
    if (cache_.empty()) cache_.resize(cache_size);
    Remembered& entry = cache_[word_hash(word) % cache_size];
    if (std::string_view(entry.word.data(), entry.word_size) != word) {
        const std::string_view stem = stem_by_rules(word);
        entry.word_size = static_cast<std::uint8_t>(word.size());
        entry.stem_size = static_cast<std::uint8_t>(stem.size());
        std::memcpy(entry.word.data(), word.data(), word.size());
        std::memcpy(entry.stem.data(), stem.data(), stem.size());
    }
    return {entry.stem.data(), entry.stem_size};
}

std::string_view Stemmer::stem_by_rules(std::string_view word) {
    const int script = script_of(word);
    if (script < 0) return word;
    sb_stemmer*& rules = rules_[static_cast<std::size_t>(script)];
    if (rules == nullptr) rules = sb_stemmer_new(scripts[script].rules, "UTF_8");
    if (rules == nullptr) return word;
    const auto* letters = reinterpret_cast<const sb_symbol*>(word.data());
    const sb_symbol* stem = sb_stemmer_stem(rules, letters, static_cast<int>(word.size()));
    const auto size = static_cast<std::size_t>(sb_stemmer_length(rules));
    if (stem == nullptr || size == 0 || size > word.size()) return word;
    return {reinterpret_cast<const char*>(stem), size};
}

}  // namespace quarry::text
