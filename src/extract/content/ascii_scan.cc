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

}  // namespace quarry::extract
