#include "extract/content/text_scan.h"

#include <algorithm>
#include <array>
#include <bit>

#include "extract/content/byte_masks.h"

namespace quarry::extract {

namespace {

using Mask = std::uint64_t;

Mask first_bits(std::size_t count) {
    return count >= 64 ? ~Mask{0} : (Mask{1} << count) - 1;
}

std::uint32_t count_bits(Mask mask) {
    return static_cast<std::uint32_t>(std::popcount(mask));
}

// The beginning of the run of ones that ends with the bit.
std::size_t run_begin(Mask runs, std::size_t bit) {
    return bit + 1 - static_cast<std::size_t>(std::countl_one(runs << (63 - bit)));
}

// Four counters of eight bits each: in a window there are no more than 64 of anything.
constexpr std::uint32_t comma = 1, separator = 1U << 8, price = 1U << 16, stop = 1U << 24;

constexpr std::array<std::uint32_t, 256> make_mark_kinds() {
    std::array<std::uint32_t, 256> kinds{};
    for (const unsigned char mark : {',', ';'}) kinds[mark] = comma;
    for (const unsigned char mark : {'|', '/', '>'}) kinds[mark] = separator;
    for (const unsigned char mark : {'.', '!', '?'}) kinds[mark] = stop;
    kinds['$'] = price;
    return kinds;
}

constexpr auto mark_kinds = make_mark_kinds();

// Counts what is in the first `limit` bytes of a text.
class Counter {
public:
    Counter(std::string_view text, const ByteMasks& masks, std::size_t limit, const ScanResult& result)
        : text_(text),
          word_(masks.word & first_bits(limit)),
          capital_(masks.capital & first_bits(limit)),
          digit_(masks.digit & first_bits(limit)),
          visible_(~masks.space & first_bits(limit)),
          result_(result),
          counts_(result.counts) {}

    void run() {
        count_words();
        hash_words();
        count_punctuation();
        if (visible_ == 0) return;
        const char last = text_[static_cast<std::size_t>(63 - std::countl_zero(visible_))];
        counts_.ends_sentence = last == '.' || last == '!' || last == '?' || last == ':' || last == ';';
    }

private:
    void count_words() {
        const Mask begins = word_ & ~(word_ << 1);
        const Mask second = word_ >> 1, third = word_ >> 2, fourth = word_ >> 3;
        const std::uint32_t digits = count_bits(digit_);
        counts_.words += count_bits(begins);
        counts_.letters += count_bits(word_) - digits;
        counts_.digits += digits;
        counts_.capitalised += count_bits(begins & capital_);
        const Mask is_short = begins & ~(second & third & fourth);
        const Mask has_digit = digit_ | (second & (digit_ >> 1)) | (second & third & (digit_ >> 2));
        counts_.short_words += count_bits(is_short & ~has_digit);
        // Where a word is all capitals, adding its first bit carries through to the place after it.
        const Mask ends = ~word_ & (word_ << 1);
        const Mask carried = (capital_ + (begins & capital_)) & ends;
        counts_.shouted += count_bits(carried) - count_bits(begins & capital_ & ~second);
        if (digits >= 4) count_years(begins);
    }

    void count_years(Mask begins) {
        const Mask four = digit_ & (digit_ >> 1) & (digit_ >> 2) & (digit_ >> 3);
        for (Mask left = begins & four & ~(word_ >> 4); left != 0; left &= left - 1) {
            const char* year = text_.data() + std::countr_zero(left);
            counts_.years += (year[0] == '1' && year[1] == '9') || (year[0] == '2' && year[1] == '0');
        }
    }

    void hash_words() {
        std::uint64_t fingerprint = counts_.fingerprint;
        std::int32_t vocabulary = counts_.vocabulary;
        std::uint32_t* next_word = result_.next_word;
        for (Mask left = word_; left != 0;) {
            const auto start = static_cast<std::size_t>(std::countr_zero(left));
            const auto size = static_cast<std::size_t>(std::countr_one(left >> start));
            const WordHash hash = start + size >= 8 ? WordHash::of_ending(text_.data() + start, size)
                                                    : WordHash({text_.data() + start, size});
            fingerprint = (fingerprint + hash.value()) * 0x9E3779B97F4A7C15U;
            vocabulary += result_.weights[hash];
            *next_word++ = hash.value();
            left &= left + (left & -left);  // without the lowest run of ones
        }
        counts_.fingerprint = fingerprint;
        counts_.vocabulary = vocabulary;
        result_.next_word = next_word;
    }

    void count_punctuation() {
        std::uint32_t sums = 0;
        for (Mask left = visible_ & ~word_; left != 0; left &= left - 1) {
            const auto at = static_cast<std::size_t>(std::countr_zero(left));
            const char* mark = text_.data() + at;  // bits stand for bytes of the text
            const bool ends = at + 1 == text_.size() || static_cast<unsigned char>(mark[1]) <= ' ';
            sums += mark_kinds[static_cast<unsigned char>(*mark)] & (ends ? ~0U : ~stop);
        }
        counts_.commas += sums & 0xFF;
        counts_.separators += sums >> 8 & 0xFF;
        counts_.prices += sums >> 16 & 0xFF;
        counts_.sentence_ends += sums >> 24;
    }

    std::string_view text_;
    Mask word_, capital_, digit_, visible_;
    const ScanResult& result_;
    TextCounts& counts_;
};

AsciiStretch scan(std::string_view text, std::size_t start, const ScanResult& result) {
    const std::string_view rest = text.substr(start);
    const std::size_t size = std::min(rest.size(), ByteMasks::width);
    const ByteMasks masks = masks_of(rest.data(), size);
    const Mask runs = masks.word | masks.beyond_ascii;
    std::size_t limit = size, resume_at = 0;
    if (rest.size() > size && runs >> 63 != 0) limit = run_begin(runs, 63);
    if (masks.beyond_ascii != 0) {
        const auto first = static_cast<std::size_t>(std::countr_zero(masks.beyond_ascii));
        limit = std::min(limit, run_begin(runs, first));
        resume_at = 64 - static_cast<std::size_t>(std::countl_zero(masks.beyond_ascii));
    }
    Counter(rest, masks, limit, result).run();
    return {.end = start + limit, .resume_at = start + std::max(limit, resume_at)};
}

#if defined(__x86_64__)
// The same with instructions that count bits, which the oldest processors of this kind lack.
[[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt"), gnu::flatten]] AsciiStretch scan_counting(
    std::string_view text, std::size_t start, const ScanResult& result) {
    return scan(text, start, result);
}
#endif

}  // namespace

AsciiStretch scan_ascii(std::string_view text, std::size_t start, const ScanResult& result) {
#if defined(__x86_64__)
    // Where there is AVX2 there are the others.
    static const bool can_count = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    if (can_count) return scan_counting(text, start, result);
#endif
    return scan(text, start, result);
}

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
