#include "text/terms/terms.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "text/terms/compound.h"
#include "text/terms/word_forms.h"
#include "text/markdown/marks.h"
#include "text/terms/stem.h"
#include "text/terms/term_counter.h"

namespace quarry::text {
namespace {

constexpr std::size_t longest_term = 64;

enum class Byte : std::uint8_t {
    nothing,
    line_end,
    letter,
    digit,
    high,
    mark,  // may begin something of markdown's
    lead,  // may begin a compound: _ - . and an escaped one of them
};

constexpr std::array<Byte, 256> byte_table = [] {
    std::array<Byte, 256> table{};
    for (int c = 0; c < 256; ++c) {
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) table[c] = Byte::letter;
        if (c >= '0' && c <= '9') table[c] = Byte::digit;
        if (c >= 0x80) table[c] = Byte::high;
    }
    for (const char c : {'`', '<', ']', '&'}) table[static_cast<std::uint8_t>(c)] = Byte::mark;
    for (const char c : {'_', '-', '.', '\\'}) table[static_cast<std::uint8_t>(c)] = Byte::lead;
    table['\n'] = Byte::line_end;
    return table;
}();

Byte kind(char c) {
    return byte_table[static_cast<std::uint8_t>(c)];
}

// Whether what stands behind a word may belong to it. Most words end in a space, or in a full stop and a
// space: those are told here, without a call.
bool may_go_on(char sign, char next) {
    switch (sign) {
        case '.':
        case '-':
        case '/':
        case '\'':
        case '&':
            return kind(next) == Byte::letter || kind(next) == Byte::digit || kind(next) == Byte::high ||
                   kind(next) == Byte::lead;
        case ':': return next == ':' || next == '\\';
        case '+': return next == '+' || next == '\\';
        case '_':
        case '#':
        case '\\': return true;
        default: return kind(sign) == Byte::digit || kind(sign) == Byte::high;
    }
}

std::size_t cut_length(std::string_view letters) {
    if (letters.size() <= longest_term) return letters.size();
    std::size_t length = longest_term;
    while (length > 0 && (static_cast<std::uint8_t>(letters[length]) & 0xC0) == 0x80) --length;
    return length;
}

// Letters that stay where they are while more are added.
class LetterPool {
public:
    // Keeps what texts of usual size need; one of 50 MB leaves no more behind than others.
    void clear() {
        constexpr std::size_t kept_blocks = 32;
        if (blocks_.size() > kept_blocks) blocks_.resize(kept_blocks);
        block_ = used_ = 0;
    }

    std::string_view add(std::string_view letters) {
        constexpr std::size_t block_size = 64 << 10;
        if (blocks_.empty() || used_ + letters.size() > block_size) {
            if (!blocks_.empty()) ++block_;
            if (block_ >= blocks_.size()) blocks_.push_back(std::make_unique<char[]>(block_size));
            used_ = 0;
        }
        char* place = blocks_[block_].get() + used_;
        std::memcpy(place, letters.data(), letters.size());
        used_ += letters.size();
        return {place, letters.size()};
    }

private:
    std::vector<std::unique_ptr<char[]>> blocks_{};
    std::size_t block_ = 0, used_ = 0;
};

}  // namespace

struct TermReader::Buffers {
    LetterFolder folder{};
    Stemmer stemmer{};
    Compound compound{};
    std::vector<CompoundPart> parts{};
    std::vector<Term> terms{};
    LetterPool letters{};
    TermCounter counter{};

    void clear() {
        constexpr std::size_t kept_terms = 64 << 10;
        if (terms.capacity() > kept_terms) std::vector<Term>().swap(terms);
        terms.clear();
        letters.clear();
    }

    void add(std::string_view folded, std::uint32_t begin, std::uint32_t end, bool is_part) {
        const std::string_view stem = stemmer.stem(folded);
        terms.push_back({letters.add(stem.substr(0, cut_length(stem))), begin, end, is_part});
    }
};

namespace {

// Goes through one text and adds its terms to the buffers.
template <typename Buffers>
class Scan {
public:
    Scan(std::string_view text, Buffers& buffers) : text_(text), buffers_(buffers), marks_(text) {}

    void run() {
        at_ = static_cast<std::uint32_t>(marks_.enter_line(0));
        while (at_ < text_.size()) {
            switch (kind(text_[at_])) {
                case Byte::nothing: ++at_; break;
                case Byte::line_end: at_ = static_cast<std::uint32_t>(marks_.enter_line(at_ + 1)); break;
                case Byte::letter: read_word(); break;
                case Byte::digit: read_compound_here(); break;
                case Byte::high: read_high(); break;
                case Byte::mark: skip_mark(); break;
                case Byte::lead: read_lead(); break;
            }
        }
    }

private:
    char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

    // The usual word: ASCII letters, not joined to anything, in one case but for the first.
    void read_word() {
        std::array<char, longest_term> folded;
        std::size_t size = 0, uppers = 0;
        for (; size < folded.size() && kind(at(at_ + size)) == Byte::letter; ++size) {
            const char c = text_[at_ + size];
            uppers += (c & 0x20) == 0;
            folded[size] = static_cast<char>(c | 0x20);
        }
        const bool has_one_case = uppers == 0 || uppers == size || (uppers == 1 && (text_[at_] & 0x20) == 0);
        if (!has_one_case || size == folded.size() || may_go_on(at(at_ + size), at(at_ + size + 1)))
            return read_compound_here();
        const auto end = at_ + static_cast<std::uint32_t>(size);
        buffers_.add({folded.data(), size}, at_, end, false);
        at_ = end;
    }

    void read_compound_here() {
        Compound& compound = buffers_.compound;
        read_compound({.text = text_, .has_escapes = !marks_.is_code(at_)}, at_, buffers_.folder, compound);
        split_compound(compound, buffers_.parts);
        for (const CompoundPart& part : buffers_.parts) {
            const std::string_view letters =
                std::string_view(compound.letters).substr(part.begin, part.end - part.begin);
            buffers_.add(letters, compound.origins[part.begin].begin, compound.origins[part.end - 1].end,
                         part.is_part);
        }
        at_ = compound.end;
    }

    void skip_mark() {
        const auto behind = static_cast<std::uint32_t>(marks_.skip(at_));
        at_ = std::max(behind, at_ + 1);
    }

    // A sign begins a compound only where no word ends, and a backslash only before such a sign.
    void read_lead() {
        const char sign = text_[at_], before = at_ == 0 ? ' ' : text_[at_ - 1];
        const bool is_escape = sign == '\\';
        const char escaped = is_escape ? at(at_ + 1) : sign;
        const bool is_free =
            kind(before) == Byte::nothing || kind(before) == Byte::line_end || kind(before) == Byte::mark;
        const bool leads = escaped == '_' || ((escaped == '-' || escaped == '.') && is_free);
        if (leads && !(is_escape && marks_.is_code(at_))) return read_compound_here();
        ++at_;
    }

    void read_high() {
        const ReadLetter letter = buffers_.folder.read(text_, at_);
        switch (letter.folded.kind) {
            case LetterKind::letter:
            case LetterKind::digit:
            case LetterKind::mark: return read_compound_here();
            case LetterKind::character:
            case LetterKind::phonetic: return read_unspaced();
            default: at_ = letter.end;
        }
    }

    // A character with the marks that belong to it.
    struct Unit {
        std::array<char, 16> bytes{};
        std::size_t size = 0;
        std::uint32_t begin = 0, end = 0;
        bool may_stand_alone = false;

        void append(const ReadLetter& letter) {
            const std::string_view more = letter.folded.text();
            if (size + more.size() <= bytes.size())
                size = static_cast<std::size_t>(std::ranges::copy(more, bytes.begin() + size).out -
                                                bytes.begin());
            end = letter.end;
        }
        std::string_view text() const { return {bytes.data(), size}; }
    };

    Unit read_unit() {
        Unit unit{.begin = at_, .end = at_};
        while (at_ < text_.size() && kind(text_[at_]) == Byte::high) {
            const ReadLetter letter = buffers_.folder.read(text_, at_);
            const LetterKind found = letter.folded.kind;
            const bool is_base = found == LetterKind::character || found == LetterKind::phonetic;
            if (unit.size > 0 ? is_base : !is_base) break;
            if (!is_base && found != LetterKind::mark && found != LetterKind::silent) break;
            if (is_base) unit.may_stand_alone = found == LetterKind::character;
            unit.append(letter);
            at_ = letter.end;
        }
        return unit;
    }

    // Overlapping pairs, and besides them the characters that may be words alone: who asks for one of them
    // should find it.
    void read_unspaced() {
        Unit before = read_unit();
        Unit next = read_unit();
        if (next.size == 0) return buffers_.add(before.text(), before.begin, before.end, false);
        for (; next.size > 0; before = next, next = read_unit()) {
            std::array<char, 32> pair;
            char* end = std::ranges::copy(before.text(), pair.begin()).out;
            end = std::ranges::copy(next.text(), end).out;
            buffers_.add({pair.data(), static_cast<std::size_t>(end - pair.data())}, before.begin, next.end,
                         false);
            add_alone(before);
        }
        add_alone(before);
    }

    void add_alone(const Unit& unit) {
        if (unit.may_stand_alone) buffers_.add(unit.text(), unit.begin, unit.end, true);
    }

    std::string_view text_;
    Buffers& buffers_;
    MarkdownMarks marks_;
    std::uint32_t at_ = 0;
};

// Offsets have 32 bits.
constexpr std::size_t longest_text = 0xFFFFFFF0;

}  // namespace

TermReader::TermReader() : buffers_(std::make_unique<Buffers>()) {}
TermReader::~TermReader() = default;
TermReader::TermReader(TermReader&&) noexcept = default;
TermReader& TermReader::operator=(TermReader&&) noexcept = default;

std::span<const Term> TermReader::read(std::string_view text) {
    buffers_->clear();
    Scan(text.substr(0, longest_text), *buffers_).run();
    return buffers_->terms;
}

TermBag TermReader::count(std::span<const std::string_view> texts) {
    buffers_->clear();
    for (const std::string_view text : texts) Scan(text.substr(0, longest_text), *buffers_).run();
    return buffers_->counter.count(buffers_->terms);
}

}  // namespace quarry::text
