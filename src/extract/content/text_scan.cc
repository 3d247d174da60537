#include "extract/content/extract_text_scan.h"

#include <array>

namespace quarry::extract {

namespace {

enum class ByteKind : std::uint8_t {
    space,
    letter,
    digit,
    capital,
    beyond_ascii,
    stop,
    comma,
    separator,
    price,
    other
};

constexpr std::array<ByteKind, 256> make_kinds() {
    std::array<ByteKind, 256> kinds{};
    for (int byte = 0; byte < 256; ++byte) {
        const char c = static_cast<char>(byte);
        ByteKind kind = ByteKind::other;
        if (byte <= ' ') kind = ByteKind::space;
        if (c >= 'a' && c <= 'z') kind = ByteKind::letter;
        if (c >= 'A' && c <= 'Z') kind = ByteKind::capital;
        if (c >= '0' && c <= '9') kind = ByteKind::digit;
        if (c == '.' || c == '!' || c == '?') kind = ByteKind::stop;
        if (c == ',' || c == ';') kind = ByteKind::comma;
        if (c == '|' || c == '/' || c == '>') kind = ByteKind::separator;
        if (c == '$') kind = ByteKind::price;
        if (byte >= 0x80) kind = ByteKind::beyond_ascii;
        kinds[static_cast<std::size_t>(byte)] = kind;
    }
    return kinds;
}

constexpr auto kinds = make_kinds();

class Scanner {
public:
    Scanner(std::string_view text, const ScanResult& result)
        : text_(text), result_(result), counts_(result.counts) {}

    void run() {
        while (at_ < text_.size()) {
            const AsciiStretch stretch = scan_ascii(text_, at_, result_);
            const bool is_stuck = stretch.end == at_ && stretch.resume_at == at_;
            at_ = stretch.end;
            if (is_stuck || stretch.resume_at > at_) step_to(stretch.resume_at);
        }
    }

private:
    unsigned byte(std::size_t at) const {
        return at < text_.size() ? static_cast<unsigned char>(text_[at]) : 0;
    }

    bool is_run_byte(std::size_t at) const {
        const ByteKind kind = kinds[byte(at)];
        return kind <= ByteKind::beyond_ascii && kind != ByteKind::space;
    }

    // Goes on one by one, and does not stop within what each_word takes for one word.
    void step_to(std::size_t end) {
        const std::size_t start = at_;
        do step();
        while (at_ < end || (is_run_byte(at_) && is_run_byte(at_ - 1)));
        each_word(text_.substr(start, at_ - start),
                  [this](WordHash word) { *result_.next_word++ = word.value(); });
    }

    void step() {
        const ByteKind kind = kinds[byte(at_)];
        if (kind <= ByteKind::beyond_ascii && kind != ByteKind::space) {
            if (kind != ByteKind::beyond_ascii || !take_symbol()) take_word();
            return;
        }
        ++at_;
        if (kind == ByteKind::space) return;
        counts_.ends_sentence = kind == ByteKind::stop || text_[at_ - 1] == ':' || text_[at_ - 1] == ';';
        switch (kind) {
            case ByteKind::stop: counts_.sentence_ends += kinds[byte(at_)] == ByteKind::space; break;
            case ByteKind::comma: ++counts_.commas; break;
            case ByteKind::separator: ++counts_.separators; break;
            case ByteKind::price: ++counts_.prices; break;
            default: break;
        }
    }

    void take_word() {
        const std::size_t start = at_;
        std::uint32_t digits = 0, capitals = 0;
        for (; at_ < text_.size(); ++at_) {
            const ByteKind kind = kinds[byte(at_)];
            if (kind == ByteKind::space || kind > ByteKind::beyond_ascii) break;
            if (kind == ByteKind::beyond_ascii && at_ != start && is_symbol()) break;
            digits += kind == ByteKind::digit;
            capitals += kind == ByteKind::capital;
        }
        const std::size_t length = at_ - start;
        const WordHash hash(text_.substr(start, length));
        ++counts_.words;
        counts_.letters += static_cast<std::uint32_t>(length) - digits;
        counts_.digits += digits;
        counts_.shouted += length >= 2 && capitals == length;
        counts_.capitalised += kinds[byte(start)] == ByteKind::capital;
        counts_.short_words += length <= 3 && digits == 0;
        counts_.years +=
            length == 4 && digits == 4 && (text_.substr(start, 2) == "19" || text_.substr(start, 2) == "20");
        counts_.fingerprint = (counts_.fingerprint + hash.value()) * 0x9E3779B97F4A7C15U;
        counts_.vocabulary += result_.weights[hash];
        counts_.ends_sentence = false;
    }

    // Beyond ASCII nearly everything is a letter; what is not, or stands for half a word, begins like this.
    bool is_symbol() const {
        const unsigned lead = byte(at_), second = byte(at_ + 1);
        return (lead == 0xC2 && second != 0xAD) || (lead == 0xE2 && second >= 0x80 && second <= 0x9F) ||
               (lead >= 0xE3 && lead <= 0xE9) || (lead == 0xEF && second >= 0xBC);
    }

    // Takes one character that is no part of a word and returns true, or leaves it.
    bool take_symbol() {
        if (!is_symbol()) return false;
        const unsigned lead = byte(at_), second = byte(at_ + 1), third = byte(at_ + 2);
        const unsigned last = lead == 0xC2 ? second : third;
        at_ += lead == 0xC2 ? 2 : 3;
        if (at_ > text_.size()) at_ = text_.size();
        counts_.ends_sentence = false;
        if (lead == 0xC2) {
            counts_.has_copyright |= last == 0xA9;
            counts_.separators += last == 0xB7 || last == 0xBB || last == 0xAB;
            counts_.prices += last == 0xA3 || last == 0xA5;
        } else if (lead == 0xE2) {
            counts_.separators += (second == 0x80 && (last == 0xA2 || last == 0xBA));
            counts_.prices += second == 0x82 && last == 0xAC;
        } else if (lead == 0xE3 && second == 0x80) {
            take_cjk_mark(last == 0x82, last == 0x81);
        } else if (lead == 0xEF) {
            take_cjk_mark(last == 0x81 || last == 0x9F, last == 0x8C);
        } else {
            half_word_ = !half_word_;
            counts_.words += half_word_;
            counts_.letters += 3;
            counts_.fingerprint = (counts_.fingerprint + (second << 8U) + third) * 0x9E3779B97F4A7C15U;
        }
        return true;
    }

    void take_cjk_mark(bool ends_sentence, bool is_comma) {
        counts_.sentence_ends += ends_sentence;
        counts_.ends_sentence = ends_sentence;
        counts_.commas += is_comma;
    }

    std::string_view text_;
    const ScanResult& result_;
    TextCounts& counts_;
    std::size_t at_ = 0;
    bool half_word_ = false;
};

}  // namespace

void scan_text(std::string_view text, InLink in_link, const ScanResult& result) {
    const std::uint32_t words_before = result.counts.words;
    Scanner(text, result).run();
    if (in_link == InLink::yes) result.counts.link_words += result.counts.words - words_before;
}

bool is_blank_throughout(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (kinds[byte] == ByteKind::space) continue;
        const bool no_break_space = byte == 0xC2 && at + 1 < text.size() && text[at + 1] == '\xA0';
        if (!no_break_space) return false;
        ++at;
    }
    return true;
}

}  // namespace quarry::extract
