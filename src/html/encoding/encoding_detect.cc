#include "html/encoding/encoding_detect.h"

#include <algorithm>
#include <memory>
#include <string>

#include <uchardet/uchardet.h>

namespace quarry::html {
namespace {

constexpr std::size_t sample_bytes = 64 * 1024;
// Statistics of letters say nothing about fewer bytes than this.
constexpr std::size_t fewest_foreign_bytes = 8;
// A run of ASCII longer than this separates two stretches of foreign text. It is longer than any character
// whose later bytes look like ASCII, so cutting inside it never cuts a character.
constexpr std::size_t gap = 32;

bool is_foreign(char c) {
    return static_cast<signed char>(c) < 0;
}

struct Sample {
    std::string text;
    std::size_t foreign_bytes = 0;
};

// The stretches around non-ASCII bytes. Markup between them tells nothing about the language and would fill
// the sample.
Sample take_sample(std::string_view bytes) {
    Sample sample;
    std::size_t ascii_run = gap + 1;
    for (const char c : bytes) {
        ascii_run = is_foreign(c) ? 0 : ascii_run + 1;
        if (ascii_run > gap) continue;
        sample.text += c;
        if (ascii_run == 0) ++sample.foreign_bytes;
        // Only end where a stretch may end.
        if (sample.text.size() >= sample_bytes && ascii_run >= gap) break;
        if (sample.text.size() >= 2 * sample_bytes) break;
    }
    return sample;
}

// UTF-16 without a byte order mark: markup is ASCII, so every other byte of its beginning is zero.
std::optional<Encoding> detect_utf16(std::string_view bytes) {
    const std::string_view head = bytes.substr(0, std::min<std::size_t>(bytes.size(), 64) & ~std::size_t{1});
    if (head.size() < 8) return std::nullopt;
    std::size_t zeros[2] = {0, 0};
    for (std::size_t i = 0; i < head.size(); ++i) {
        if (head[i] == '\0') ++zeros[i % 2];
    }
    const std::size_t most = head.size() / 2 * 3 / 4;
    if (zeros[1] >= most && zeros[0] == 0) return Encoding::utf_16le;
    if (zeros[0] >= most && zeros[1] == 0) return Encoding::utf_16be;
    return std::nullopt;
}

bool has_japanese_escape(std::string_view bytes) {
    return bytes.contains("\x1B$B") || bytes.contains("\x1B$@");
}

// uchardet's names that are not labels of the web.
std::string_view as_label(std::string_view name) {
    if (name == "UHC") return "euc-kr";
    if (name == "MAC-CYRILLIC") return "x-mac-cyrillic";
    return name;
}

std::optional<Encoding> ask_uchardet(std::string_view sample) {
    struct Delete {
        void operator()(uchardet* detector) const { uchardet_delete(detector); }
    };
    const std::unique_ptr<uchardet, Delete> detector(uchardet_new());
    if (uchardet_handle_data(detector.get(), sample.data(), sample.size()) != 0) return std::nullopt;
    uchardet_data_end(detector.get());
    const auto encoding = find_encoding(as_label(uchardet_get_charset(detector.get())));
    if (encoding == Encoding::utf_8 || encoding == Encoding::replacement) return std::nullopt;
    return encoding;
}

}  // namespace

std::optional<Encoding> detect_seven_bit_encoding(std::string_view bytes) {
    if (const auto encoding = detect_utf16(bytes)) return encoding;
    return has_japanese_escape(bytes) ? std::optional(Encoding::iso_2022_jp) : std::nullopt;
}

std::optional<Encoding> detect_encoding(std::string_view bytes) {
    if (const auto encoding = detect_utf16(bytes)) return encoding;
    const Sample sample = take_sample(bytes);
    if (sample.foreign_bytes < fewest_foreign_bytes) return std::nullopt;
    return ask_uchardet(sample.text);
}

}  // namespace quarry::html
