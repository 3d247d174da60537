#include "extract/ascii_scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "extract/byte_masks.h"

namespace quarry::extract {

namespace {

using Mask = std::uint64_t;

// The bytes to look at, and so many after them that words can be hashed in steps of eight.
class Window {
public:
    Window(std::string_view text, std::size_t start)
        : size_(std::min(text.size() - start, ByteMasks::width)) {
        if (text.size() - start >= padded_size) {
            bytes_ = text.data() + start;
            return;
        }
        copy_.fill(' ');
        std::memcpy(copy_.data(), text.data() + start, text.size() - start);
        bytes_ = copy_.data();
    }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    const char* bytes() const { return bytes_; }
    std::size_t size() const { return size_; }

private:
    static constexpr std::size_t padded_size = ByteMasks::width + 8;
    std::array<char, padded_size> copy_;
    const char* bytes_;
    std::size_t size_;
};

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

class Counter {
public:
    Counter(const Window& window, const ByteMasks& masks, std::size_t limit, const ScanResult& result)
        : bytes_(window.bytes()),
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
        const char last = bytes_[63 - std::countl_zero(visible_)];
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
            const char* year = bytes_ + std::countr_zero(left);
            counts_.years += (year[0] == '1' && year[1] == '9') || (year[0] == '2' && year[1] == '0');
        }
    }

    void hash_words() {
        std::array<std::uint32_t, ByteMasks::width / 2> hashes;
        std::size_t count = 0;
        std::int32_t vocabulary = 0;
        for (Mask left = word_; left != 0;) {
            const int start = std::countr_zero(left);
            const int size = std::countr_one(left >> start);
            const WordHash hash = WordHash::of_padded(bytes_ + start, static_cast<std::size_t>(size));
            hashes[count++] = hash.value();
            vocabulary += result_.weights[hash];
            left &= left + (left & -left);  // without the lowest run of ones
        }
        for (std::size_t at = 0; at < count; ++at) {
            counts_.fingerprint = (counts_.fingerprint + hashes[at]) * 0x9E3779B97F4A7C15U;
        }
        counts_.vocabulary += vocabulary;
        result_.words.insert(result_.words.end(), hashes.begin(), hashes.begin() + count);
    }

    void count_punctuation() {
        std::uint32_t sums = 0;
        for (Mask left = visible_ & ~word_; left != 0; left &= left - 1) {
            const char* mark = bytes_ + std::countr_zero(left);
            // The end of the text is padded with spaces.
            const bool ends = static_cast<unsigned char>(mark[1]) <= ' ';
            sums += mark_kinds[static_cast<unsigned char>(*mark)] & (ends ? ~0U : ~stop);
        }
        counts_.commas += sums & 0xFF;
        counts_.separators += sums >> 8 & 0xFF;
        counts_.prices += sums >> 16 & 0xFF;
        counts_.sentence_ends += sums >> 24;
    }

    const char* bytes_;
    Mask word_, capital_, digit_, visible_;
    const ScanResult& result_;
    TextCounts& counts_;
};

AsciiStretch scan(std::string_view text, std::size_t start, const ScanResult& result) {
    const Window window(text, start);
    const ByteMasks masks = masks_of(window.bytes());
    const Mask beyond_ascii = masks.beyond_ascii & first_bits(window.size());
    const Mask runs = masks.word | beyond_ascii;
    std::size_t limit = window.size(), resume_at = 0;
    const bool may_go_on = start + window.size() < text.size();
    if (may_go_on && runs >> 63 != 0) limit = run_begin(runs, 63);
    if (beyond_ascii != 0) {
        limit = std::min(limit, run_begin(runs, static_cast<std::size_t>(std::countr_zero(beyond_ascii))));
        resume_at = 64 - static_cast<std::size_t>(std::countl_zero(beyond_ascii));
    }
    Counter(window, masks, limit, result).run();
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
