#include "html/source_text.h"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "html/characters.h"

namespace quarry::html {

namespace {

// The length of the valid sequence at `at`, or minus the length of the invalid part to be replaced.
int sequence_length(const unsigned char* at, const unsigned char* end) {
    const unsigned char lead = at[0];
    if (lead < 0x80) return 1;
    const int length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4) return -1;
    // The second byte's range excludes overlong forms, surrogates and what lies past U+10FFFF.
    const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (end - at < 2 || at[1] < low || at[1] > high) return -1;
    for (int i = 2; i < length; ++i) {
        if (end - at <= i || (at[i] & 0xC0) != 0x80) return -i;
    }
    return length;
}

const unsigned char* skip_ascii(const unsigned char* at, const unsigned char* end) {
    for (; end - at >= 8; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        if ((word & 0x8080808080808080) != 0) break;
    }
    while (at != end && *at < 0x80) ++at;
    return at;
}

// The first byte that does not belong to a valid sequence, or `end`.
const unsigned char* find_invalid(const unsigned char* at, const unsigned char* end) {
    while ((at = skip_ascii(at, end)) != end) {
        const int length = sequence_length(at, end);
        if (length < 0) return at;
        at += length;
    }
    return end;
}

void replace_invalid(std::string& source) {
    const auto* at = reinterpret_cast<const unsigned char*>(source.data());
    const auto* end = at + source.size();
    const unsigned char* bad = find_invalid(at, end);
    if (bad == end) return;
    std::string valid;
    valid.reserve(source.size() + source.size() / 8 + 16);
    while (bad != end) {
        valid.append(reinterpret_cast<const char*>(at), static_cast<std::size_t>(bad - at));
        valid += replacement_character;
        at = bad - sequence_length(bad, end);
        bad = find_invalid(at, end);
    }
    valid.append(reinterpret_cast<const char*>(at), static_cast<std::size_t>(end - at));
    source = std::move(valid);
}

// CR LF and lone CR become LF, in place: the text only gets shorter.
void normalise_line_ends(std::string& source) {
    const std::size_t first = source.find('\r');
    if (first == std::string::npos) return;
    char* out = source.data() + first;
    const char* at = out;
    const char* end = source.data() + source.size();
    while (at != end) {
        *out++ = '\n';
        ++at;
        if (at != end && *at == '\n') ++at;
        const auto* next =
            static_cast<const char*>(std::memchr(at, '\r', static_cast<std::size_t>(end - at)));
        const auto length = static_cast<std::size_t>((next == nullptr ? end : next) - at);
        std::memmove(out, at, length);
        out += length;
        at += length;
    }
    source.resize(static_cast<std::size_t>(out - source.data()));
}

}  // namespace

void normalise_source(std::string& source) {
    replace_invalid(source);
    normalise_line_ends(source);
}

}  // namespace quarry::html
