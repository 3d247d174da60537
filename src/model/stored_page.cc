#include "model/stored_page.h"

#include <algorithm>
#include <charconv>
#include <random>

#include <fmt/format.h>

#include "base/sha256.h"

namespace quarry {

namespace {

constexpr std::size_t token_digits = 32, version_digits = 16, length_bytes = 8;

bool is_token(std::string_view text) {
    return text.size() == token_digits && std::ranges::all_of(text, [](char letter) {
               return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
           });
}

// What hides the number of a version.
std::uint64_t veil_of(std::string_view token) {
    const Sha256Digest digest = sha256(token);
    std::uint64_t veil = 0;
    for (int i = 0; i < 8; ++i) veil = veil << 8 | digest[static_cast<std::size_t>(i)];
    return veil;
}

void write_length(std::string& out, std::uint64_t length) {
    for (std::size_t i = 0; i < length_bytes; ++i) out += static_cast<char>(length >> (8 * i) & 0xff);
}

// Takes a piece with its length before it. Nothing if there is less.
std::optional<std::string_view> take_piece(std::string_view& rest) {
    if (rest.size() < length_bytes) return std::nullopt;
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < length_bytes; ++i)
        length |= std::uint64_t{static_cast<unsigned char>(rest[i])} << (8 * i);
    rest.remove_prefix(length_bytes);
    if (length > rest.size()) return std::nullopt;
    const std::string_view piece = rest.substr(0, length);
    rest.remove_prefix(length);
    return piece;
}

}  // namespace

std::string new_media_token() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

std::string pack_media(const std::vector<Media>& media) {
    std::string packed;
    for (const Media& one : media) {
        for (const std::string* piece : {&one.token, &one.type, &one.bytes}) {
            write_length(packed, piece->size());
            packed += *piece;
        }
    }
    return packed;
}

std::optional<Media> find_media(std::string_view packed, std::string_view token) {
    while (!packed.empty()) {
        const auto name = take_piece(packed);
        const auto type = take_piece(packed);
        const auto bytes = take_piece(packed);
        if (!name || !type || !bytes) return std::nullopt;
        if (*name == token) return Media{std::string(*name), std::string(*type), std::string(*bytes)};
    }
    return std::nullopt;
}

std::string media_name(ContentId version, std::string_view token) {
    return fmt::format("{}{:016x}", token, static_cast<std::uint64_t>(number(version)) ^ veil_of(token));
}

std::optional<MediaPlace> parse_media_name(std::string_view name) {
    if (name.size() != token_digits + version_digits) return std::nullopt;
    const std::string_view token = name.substr(0, token_digits), hidden = name.substr(token_digits);
    std::uint64_t version = 0;
    const auto read = std::from_chars(hidden.data(), hidden.data() + hidden.size(), version, 16);
    if (!is_token(token) || read.ec != std::errc() || read.ptr != hidden.data() + hidden.size())
        return std::nullopt;
    return MediaPlace{ContentId{static_cast<std::int64_t>(version ^ veil_of(token))}, std::string(token)};
}

}  // namespace quarry
