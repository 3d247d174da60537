// Url::parse: what happens to the input before it is parsed, and to an error after.
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "url/idna.h"
#include "url/url_parser.h"
#include "url/url.h"

namespace quarry::url {

namespace {

std::string_view without_edge_spaces(std::string_view text) {
    const auto is_edge = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
    while (!text.empty() && is_edge(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_edge(text.back())) text.remove_suffix(1);
    return text;
}

// Whether any byte is a control character or not ASCII: what an ordinary URL has none of. Eight bytes at a
// time, as every URL passes here: (word - 0x20…) & ~word has the top bit of a byte set if one is below 0x20.
bool needs_cleaning(std::string_view text) {
    constexpr std::uint64_t low_bits = 0x0101010101010101, top_bits = low_bits << 7;
    std::uint64_t found = 0;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (; end - at >= 8; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        found |= word | ((word - low_bits * 0x20) & ~word);
    }
    bool rest = false;
    for (; at != end; ++at)
        rest |= static_cast<unsigned char>(*at) < 0x20 || static_cast<unsigned char>(*at) >= 0x80;
    return rest || (found & top_bits) != 0;
}

std::string cleaned(std::string_view text) {
    std::string result = to_valid_utf8(text);
    std::erase_if(result, [](char c) { return c == '\t' || c == '\n' || c == '\r'; });
    return result;
}

constexpr std::size_t max_shown_bytes = 200;

// The URL as an error message may show it: not too long, and without what may be a password.
std::string shown_form(std::string_view input) {
    std::string shown(input);
    const std::size_t authority = shown.find("//");
    const std::size_t at = shown.rfind('@');
    if (authority != std::string::npos && at != std::string::npos && at > authority) {
        shown.replace(authority + 2, at - authority - 2, "***");
    }
    const bool cut = shown.size() > max_shown_bytes;
    shown = to_valid_utf8(std::string_view(shown).substr(0, max_shown_bytes));
    return cut ? shown + "…" : shown;
}

std::unexpected<Error> too_long() {
    return fail(ErrorCode::too_large, fmt::format("the URL is longer than {} bytes", max_url_bytes));
}

Error explained(Error error, std::string_view input) {
    error.message = fmt::format("Invalid URL \"{}\": {}", shown_form(input), error.message);
    return error;
}

}  // namespace

Result<Url> Url::parse(std::string_view input, const Url* base) {
    if (input.size() > max_url_bytes) return too_long();
    const std::string_view text = without_edge_spaces(input);
    auto result = needs_cleaning(text) ? parse_clean(cleaned(text), base) : parse_clean(text, base);
    if (!result) return std::unexpected(explained(std::move(result).error(), input));
    // Encoding and the base can lengthen it; what is written must always be readable again.
    if (result->href_.size() > max_url_bytes) return too_long();
    return result;
}

}  // namespace quarry::url
