#include "text/terms/word_forms.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <libstemmer.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

namespace quarry::text {

namespace {

// Letters with a stroke or fused from two: Unicode does not decompose them, people type them without.
struct Plain {
    char32_t from;
    std::string_view to;
};
constexpr Plain plain_letters[] = {
    {U'ß', "ss"}, {U'æ', "ae"}, {U'ð', "d"}, {U'ø', "o"},  {U'þ', "th"}, {U'đ', "d"},
    {U'ħ', "h"},  {U'ı', "i"},  {U'ł', "l"}, {U'œ', "oe"}, {U'ŧ', "t"},  {U'ё', "е"},
};

bool is_unspaced(UScriptCode script) {
    switch (script) {
        case USCRIPT_HAN:
        case USCRIPT_HANGUL:
        case USCRIPT_HIRAGANA:
        case USCRIPT_KATAKANA:
        case USCRIPT_BOPOMOFO:
        case USCRIPT_YI:
        case USCRIPT_THAI:
        case USCRIPT_LAO:
        case USCRIPT_KHMER:
        case USCRIPT_MYANMAR: return true;
        default: return false;
    }
}

// Scripts whose marks tell how to say a word, not which word it is.
bool has_accents(UScriptCode script) {
    switch (script) {
        case USCRIPT_COMMON:
        case USCRIPT_INHERITED:
        case USCRIPT_LATIN:
        case USCRIPT_GREEK:
        case USCRIPT_CYRILLIC:
        case USCRIPT_ARABIC:
        case USCRIPT_HEBREW:
        case USCRIPT_SYRIAC: return true;
        default: return false;
    }
}

bool is_mark(char32_t point) {
    return (U_GET_GC_MASK(static_cast<UChar32>(point)) & U_GC_M_MASK) != 0;
}

LetterKind letter_kind(char32_t point, UScriptCode script) {
    constexpr char32_t prolonged_sound = U'ー', halfwidth_prolonged_sound = 0xFF70;  // shared by both kana
    if (point == prolonged_sound || point == halfwidth_prolonged_sound) return LetterKind::phonetic;
    if (script == USCRIPT_HAN || script == USCRIPT_HANGUL) return LetterKind::character;
    return is_unspaced(script) ? LetterKind::phonetic : LetterKind::letter;
}

LetterKind kind_of(char32_t point, UScriptCode script) {
    const auto icu_point = static_cast<UChar32>(point);
    constexpr char32_t zero_width_space = 0x200B, tatweel = 0x640;
    switch (point) {
        case U'\'':
        case U'’':
        case U'ʼ':
        case 0xFF07: return LetterKind::apostrophe;
        case 0x2010:
        case 0x2011: return LetterKind::hyphen;
        case zero_width_space: return LetterKind::none;
        case tatweel: return LetterKind::silent;
        default: break;
    }
    if (u_hasBinaryProperty(icu_point, UCHAR_DEFAULT_IGNORABLE_CODE_POINT)) return LetterKind::silent;
    if (is_mark(point)) return has_accents(script) ? LetterKind::silent : LetterKind::mark;
    // Raised digits are mostly footnotes, lowered ones mostly formulas: H₂O.
    if (u_charType(icu_point) == U_DECIMAL_DIGIT_NUMBER || (point >= 0x2080 && point <= 0x2089))
        return LetterKind::digit;
    if (!u_hasBinaryProperty(icu_point, UCHAR_ALPHABETIC)) return LetterKind::none;
    return letter_kind(point, script);
}

// й and ї are letters of their own; only stress marks and the dots of ё are left out in writing.
bool keeps_marks(UScriptCode script, const icu::UnicodeString& decomposed) {
    if (script != USCRIPT_CYRILLIC || decomposed.length() < 2) return false;
    return decomposed[1] != 0x300 && decomposed[1] != 0x301;
}

icu::UnicodeString without_accents(const icu::UnicodeString& letter, UScriptCode script) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* decompose = icu::Normalizer2::getNFKDInstance(status);
    if (U_FAILURE(status)) return letter;
    const icu::UnicodeString decomposed = decompose->normalize(letter, status);
    if (U_FAILURE(status) || keeps_marks(script, decomposed)) return letter;
    icu::UnicodeString bare;
    for (int i = 0; i < decomposed.length(); i = decomposed.moveIndex32(i, 1)) {
        const UChar32 point = decomposed.char32At(i);
        if (!is_mark(static_cast<char32_t>(point))) bare.append(point);
    }
    return bare;
}

std::string folded_text(char32_t point, UScriptCode script) {
    UErrorCode status = U_ZERO_ERROR;
    icu::UnicodeString letter(static_cast<UChar32>(point));
    const icu::Normalizer2* fold_case = icu::Normalizer2::getNFKCCasefoldInstance(status);
    if (U_SUCCESS(status)) letter = fold_case->normalize(letter, status);
    if (has_accents(script)) letter = without_accents(letter, script);
    const char32_t folded = letter.countChar32() == 1 ? static_cast<char32_t>(letter.char32At(0)) : 0;
    for (const Plain& plain : plain_letters)
        if (plain.from == folded) return std::string(plain.to);
    std::string utf8;
    letter.toUTF8String(utf8);
    return utf8;
}

FoldedLetter make_folded(char32_t point) {
    UErrorCode status = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript(static_cast<UChar32>(point), &status);
    FoldedLetter folded{.kind = kind_of(point, script)};
    std::string text;
    switch (folded.kind) {
        case LetterKind::none:
        case LetterKind::silent: break;
        case LetterKind::apostrophe: text = "'"; break;
        case LetterKind::hyphen: text = "-"; break;
        case LetterKind::digit: {
            const int value = u_charDigitValue(static_cast<UChar32>(point));
            text = value >= 0 ? std::string(1, static_cast<char>('0' + value)) : folded_text(point, script);
            break;
        }
        default: text = folded_text(point, script);
    }
    // The few that unfold to whole phrases (U+FDFA) are ornaments, not words.
    if (text.size() > folded.bytes.size()) return {};
    folded.size = static_cast<std::uint8_t>(text.size());
    std::copy(text.begin(), text.end(), folded.bytes.begin());
    return folded;
}

// A quick look whether the next letter may compose with the one before: accents, kana voicing, Hangul jamo.
bool may_compose(std::string_view text, std::size_t at) {
    if (at + 1 >= text.size()) return false;
    const auto lead = static_cast<std::uint8_t>(text[at]), next = static_cast<std::uint8_t>(text[at + 1]);
    if (lead == 0xCC || lead == 0xCD) return true;
    if (lead == 0xE1) return next >= 0x85 && next <= 0x87;
    return lead == 0xE3 && next == 0x82 && at + 2 < text.size() &&
           (text[at + 2] == '\x99' || text[at + 2] == '\x9A');
}

UChar32 decode(std::string_view text, std::int32_t& at) {
    UChar32 point = -1;
    // Offsets of one letter suffice, and keep texts beyond 2 GB within ICU's integers.
    U8_NEXT(text.data(), at, static_cast<std::int32_t>(text.size()), point);
    return point;
}

UChar32 compose_pair(UChar32 first, UChar32 second) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* composer = icu::Normalizer2::getNFCInstance(status);
    return U_SUCCESS(status) ? composer->composePair(first, second) : -1;
}

}  // namespace

ReadLetter LetterFolder::read(std::string_view text, std::size_t at) {
    const std::string_view rest = text.substr(at, 64);
    std::int32_t length = 0;
    UChar32 point = decode(rest, length);
    if (point < 0) return {.end = static_cast<std::uint32_t>(at + std::max(length, 1))};
    while (may_compose(rest, static_cast<std::size_t>(length))) {
        std::int32_t behind = length;
        const UChar32 next = decode(rest, behind);
        const UChar32 composed = next < 0 ? -1 : compose_pair(point, next);
        if (composed < 0) break;
        point = composed;
        length = behind;
    }
    return {fold(static_cast<char32_t>(point)),
            static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(length)};
}

const FoldedLetter& LetterFolder::fold(char32_t point) {
    constexpr std::size_t page_count = 0x110000 / 256;
    if (pages_.empty()) pages_.resize(page_count);
    std::unique_ptr<Page>& page = pages_[point / 256];
    if (!page) {
        page = std::make_unique<Page>();
        const char32_t first = point / 256 * 256;
        for (char32_t i = 0; i < 256; ++i) (*page)[i] = make_folded(first + i);
    }
    return (*page)[point % 256];
}

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
