#include "servers/imitation_words.h"

#include <cmath>
#include <cstdint>
#include <string>

namespace quarry::test {

namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           static_cast<unsigned char>(c) >= 0x80;
}

template <typename Use>
void for_each_word(std::string_view text, Use&& use) {
    std::string word;
    for (const char c : text) {
        if (is_letter(c)) {
            word += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        } else if (!word.empty()) {
            use(word);
            word.clear();
        }
    }
    if (!word.empty()) use(word);
}

std::uint64_t hash(std::string_view word, std::uint64_t seed) {
    std::uint64_t value = 0xcbf29ce484222325ULL ^ (seed * 0x9e3779b97f4a7c15ULL);
    for (const char c : word) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return value ^ (value >> 29);
}

}  // namespace

std::vector<float> imitation_vector(std::string_view text, std::size_t dimensions) {
    std::vector<float> vector(dimensions, 0.0F);
    for_each_word(text, [&](const std::string& word) {
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            const std::uint64_t place = hash(word, seed);
            vector[place % dimensions] += (place >> 40) % 2 == 0 ? 1.0F : -1.0F;
        }
    });
    double square = 0;
    for (const float component : vector) square += static_cast<double>(component) * component;
    if (square == 0) vector[0] = 1;
    if (square > 0)
        for (float& component : vector) component /= static_cast<float>(std::sqrt(square));
    return vector;
}

std::size_t imitation_tokens(std::string_view text) {
    std::size_t count = 2;
    for_each_word(text, [&](const std::string&) { ++count; });
    return count;
}

}  // namespace quarry::test
