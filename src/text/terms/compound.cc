#include "text/terms/compound.h"

#include <algorithm>

#include "base/ascii.h"

namespace quarry::text {
namespace {

constexpr std::size_t longest_compound = 1024;

bool is_high(char c) {
    return static_cast<std::uint8_t>(c) >= 0x80;
}

// What English leaves behind an apostrophe: John's, we'll.
bool is_clitic(std::string_view suffix) {
    char folded[2];
    if (suffix.empty() || suffix.size() > 2) return false;
    std::ranges::transform(suffix, folded, to_ascii_lower);
    const std::string_view ending(folded, suffix.size());
    return ending == "s" || ending == "m" || ending == "d" || ending == "ll" || ending == "re" ||
           ending == "ve";
}

class CompoundReader {
public:
    CompoundReader(const CompoundContext& context, LetterFolder& folder, Compound& compound)
        : text_(context.text), has_escapes_(context.has_escapes), folder_(folder), compound_(compound) {}

    void read(std::uint32_t at) {
        compound_.clear();
        at_ = at;
        bool goes_on = read_beginning();
        while (goes_on && at_ < text_.size() && compound_.letters.size() < longest_compound) {
            const char c = text_[at_];
            if (is_ascii_letter(c) || is_ascii_digit(c))
                read_ascii(c);
            else
                goes_on = is_high(c) ? read_high() : read_sign();
        }
        compound_.end = std::max(at_, at + 1);
        trim();
    }

private:
    struct Sign {
        char sign = 0;
        std::uint32_t length = 1;
    };

    char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

    // Behind a backslash a sign of markdown is the sign itself: foo\_bar.
    Sign sign_at(std::size_t position) const {
        if (at(position) == '\\' && has_escapes_ && is_ascii_punctuation(at(position + 1)))
            return {at(position + 1), 2};
        return {at(position), 1};
    }

    bool begins_word(std::size_t position) {
        const char c = at(position);
        if (is_ascii_letter(c) || is_ascii_digit(c)) return true;
        if (!is_high(c)) return false;
        const LetterKind kind = folder_.read(text_, position).folded.kind;
        return kind == LetterKind::letter || kind == LetterKind::digit;
    }

    bool begins_name(std::size_t position) { return sign_at(position).sign == '_' || begins_word(position); }

    bool append_sign(std::string_view folded, std::uint32_t length) {
        compound_.append(folded, at_, at_ + length);
        compound_.is_plain = false;
        at_ += length;
        return true;
    }

    // The signs that only begin a compound: "--flag", "-v", ".NET".
    bool read_beginning() {
        const Sign first = sign_at(at_);
        if (first.sign == '.')
            return is_ascii_letter(at(at_ + first.length)) ? append_sign(".", first.length) : skip_run('.');
        if (first.sign != '-') return true;
        const Sign second = sign_at(at_ + first.length);
        if (is_ascii_letter(at(at_ + first.length))) return append_sign("-", first.length);
        const std::uint32_t both = first.length + second.length;
        if (second.sign == '-' && is_ascii_letter(at(at_ + both))) return append_sign("--", both);
        return skip_run('-');
    }

    bool skip_run(char sign) {
        if (at(at_) == '\\') ++at_;
        while (at(at_) == sign) ++at_;
        return false;
    }

    void read_ascii(char c) {
        compound_.letters.push_back(to_ascii_lower(c));
        compound_.origins.push_back({at_, at_ + 1});
        note_hump(c);
        ++at_;
    }

    // In fooBar at B; in XMLHttp at H, once its t is seen. The s of APIs is no word.
    void note_hump(char c) {
        const std::size_t size = compound_.letters.size();
        if (size < 2 || at_ == 0) return;
        const char before = text_[at_ - 1];
        if (is_ascii_upper(c) && (is_ascii_lower(before) || is_ascii_digit(before))) mark_hump(size - 1);
        const bool ends_acronym = is_ascii_lower(c) && size >= 3 && at_ >= 2 && is_ascii_upper(before) &&
                                  is_ascii_upper(text_[at_ - 2]);
        const bool is_plural = c == 's' && !is_ascii_letter(at(at_ + 1));
        if (ends_acronym && !is_plural) mark_hump(size - 2);
    }

    void mark_hump(std::size_t at) {
        compound_.origins[at].begins_part = true;
        compound_.has_humps = true;
    }

    bool read_high() {
        const ReadLetter letter = folder_.read(text_, at_);
        switch (letter.folded.kind) {
            case LetterKind::letter:
            case LetterKind::digit:
            case LetterKind::mark: compound_.append(letter.folded.text(), at_, letter.end); [[fallthrough]];
            case LetterKind::silent: at_ = letter.end; return true;
            case LetterKind::hyphen: return begins_word(letter.end) && append_sign("-", letter.end - at_);
            case LetterKind::apostrophe: return read_apostrophe(letter.end);
            default: return false;
        }
    }

    // Whether the compound goes on behind this sign, which then has been read.
    bool read_sign() {
        const Sign found = sign_at(at_);
        const std::uint32_t next = at_ + found.length;
        switch (found.sign) {
            case '_': return append_sign("_", found.length);
            case '.': return begins_name(next) && append_sign(".", found.length);
            case '-': return begins_word(next) && append_sign("-", found.length);
            case '/': return begins_name(next) && append_sign("/", found.length);
            case ':': return read_scope(next);
            case '+': return read_plus(next);
            case '#':
                return compound_.letters.size() == 1 && !begins_word(next) && append_sign("#", found.length);
            case '&':
                return is_ascii_upper(at(at_ - 1)) && is_ascii_upper(at(next)) &&
                       append_sign("&", found.length);
            case ',': return read_comma();
            case '\'': return read_apostrophe(next);
            default: return false;
        }
    }

    bool read_scope(std::uint32_t next) {
        const Sign second = sign_at(next);
        if (second.sign != ':' || !begins_name(next + second.length)) return false;
        return append_sign("::", next + second.length - at_);
    }

    // C++ and C++17, but not a+b or i++x.
    bool read_plus(std::uint32_t next) {
        const Sign second = sign_at(next);
        const std::uint32_t behind = next + second.length;
        if (second.sign != '+' || compound_.letters.empty() || !is_ascii_lower(compound_.letters.back()))
            return false;
        if (sign_at(behind).sign == '+' || is_ascii_letter(at(behind))) return false;
        return append_sign("++", behind - at_);
    }

    // 1,000,000 is the number 1000000.
    bool read_comma() {
        const bool is_group = is_ascii_digit(at(at_ + 1)) && is_ascii_digit(at(at_ + 2)) &&
                              is_ascii_digit(at(at_ + 3)) && !is_ascii_digit(at(at_ + 4)) &&
                              !is_ascii_letter(at(at_ + 4));
        const bool is_number = std::ranges::all_of(compound_.letters, is_ascii_digit);
        if (!is_group || !is_number || compound_.letters.empty()) return false;
        if (!has_groups_ && compound_.letters.size() > 3) return false;
        has_groups_ = true;
        ++at_;
        return true;
    }

    // "don't" is one word, the "s" of "John's" none, "l'arbre" two words, and "п'ять" one.
    bool read_apostrophe(std::uint32_t next) {
        std::uint32_t end = next;
        while (end < next + 3 && is_ascii_letter(at(end))) ++end;
        const std::string_view suffix = text_.substr(next, end - next);
        const bool is_cyrillic = !compound_.letters.empty() && is_high(compound_.letters.back());
        if (to_ascii_lower(at(next)) == 't' && suffix.size() == 1) {
            at_ = next;
            return true;
        }
        if (is_clitic(suffix)) at_ = end;
        if (!is_cyrillic || !is_high(at(next)) || !begins_word(next)) return false;
        at_ = next;
        return true;
    }

    // __init__ is a name, _word_ is a word with emphasis.
    void trim() {
        std::string& letters = compound_.letters;
        if (compound_.is_plain) return;
        const bool is_name = letters.find_first_not_of('_') != std::string::npos;
        if (is_name && letters.starts_with("__") && letters.ends_with("__")) return;
        const std::size_t end = letters.find_last_not_of("_.-/:&") + 1;
        const std::size_t begin = std::min(letters.find_first_not_of('_'), end);
        compound_.keep(begin, end);
    }

    std::string_view text_;
    bool has_escapes_;
    LetterFolder& folder_;
    Compound& compound_;
    std::uint32_t at_ = 0;
    bool has_groups_ = false;
};

}  // namespace

void Compound::clear() {
    letters.clear();
    origins.clear();
    is_plain = true;
    has_humps = false;
}

void Compound::append(std::string_view folded, std::uint32_t begin, std::uint32_t end_of_letter) {
    letters += folded;
    for (std::size_t i = 0; i < folded.size(); ++i) origins.push_back({begin, end_of_letter});
}

void Compound::keep(std::size_t from, std::size_t to) {
    const auto cut = [&](auto& bytes) {
        bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(to), bytes.end());
        bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(from));
    };
    cut(letters);
    cut(origins);
}

void read_compound(const CompoundContext& context, std::uint32_t at, LetterFolder& folder,
                   Compound& compound) {
    CompoundReader(context, folder, compound).read(at);
}

}  // namespace quarry::text
