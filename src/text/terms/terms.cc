// Counts equal terms.
#include "text/terms/terms.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "text/markdown/marks.h"
#include "text/terms/compound.h"
#include "text/terms/word_forms.h"

namespace quarry::text {

// Keeps its table from text to text: one per thread.
class TermCounter {
public:
    TermBag count(std::span<const Term> terms);

private:
    // Where in the bag's counts a term is, plus one; 0 if the slot is free.
    struct Slot {
        std::uint32_t hash = 0, index = 0;
    };

    std::uint32_t& place_of(std::string_view term, const std::vector<TermCount>& counts);

    std::vector<Slot> slots_{};
};

namespace {

// Multiplies eight bytes at a time. The quality of the hash affects only speed.
std::uint32_t hash(std::string_view word) {
    std::uint64_t state = word.size();
    while (!word.empty()) {
        std::uint64_t bytes = 0;
        const std::size_t count = std::min<std::size_t>(word.size(), 8);
        std::memcpy(&bytes, word.data(), count);
        state = (state ^ bytes) * 0x9E3779B97F4A7C15;
        state ^= state >> 29;
        word.remove_prefix(count);
    }
    return static_cast<std::uint32_t>(state >> 16);
}

// A bag outlives the reader's buffers, so its letters move into a string of its own.
void own_letters(TermBag& bag) {
    std::size_t bytes = 0;
    for (const TermCount& each : bag.counts) bytes += each.term.size();
    auto letters = std::make_shared<std::string>();
    letters->reserve(bytes);
    for (TermCount& each : bag.counts) {
        const std::size_t begin = letters->size();
        *letters += each.term;
        each.term = std::string_view(letters->data() + begin, each.term.size());
    }
    bag.letters = std::move(letters);
}

}  // namespace

// The slot's index; 0 means that the term is new and its index is to be written there.
std::uint32_t& TermCounter::place_of(std::string_view term, const std::vector<TermCount>& counts) {
    const std::uint32_t term_hash = hash(term);
    for (std::size_t at = term_hash % slots_.size();; at = (at + 1) % slots_.size()) {
        Slot& slot = slots_[at];
        if (slot.index == 0) slot.hash = term_hash;
        if (slot.index == 0 || (slot.hash == term_hash && counts[slot.index - 1].term == term))
            return slot.index;
    }
}

TermBag TermCounter::count(std::span<const Term> terms) {
    std::size_t slot_count = 64;
    while (slot_count < terms.size() * 2) slot_count *= 2;
    slots_.assign(slot_count, {});
    TermBag bag;
    for (const Term& term : terms) {
        bag.length += !term.is_part;
        std::uint32_t& index = place_of(term.text, bag.counts);
        if (index == 0) {
            bag.counts.push_back({term.text, 0});
            index = static_cast<std::uint32_t>(bag.counts.size());
        }
        ++bag.counts[index - 1].count;
    }
    own_letters(bag);
    return bag;
}

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

// Whether the characters after a word may belong to it. Most words end in a space, or in a full stop and a
// space. This recognises those words without a call.
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
    // Keeps the memory that texts of usual size need; a text of 50 MB leaves no more behind than others.
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

    // Adds overlapping pairs and also the characters that may be words alone, so that a query for such a
    // character finds it.
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

// Words that say how a sentence is built and not what it is about. A word that carries meaning in another
// language ("die", "son", "war", "come") is on no list. Neither is a word that shares its stem with such a
// word: "us" would remove "use" too.

namespace {

constexpr std::string_view english = R"(
a about above after again against all also although always am among an and another any anyone anything are aren't
around as at be became because become been before behind being below between beyond both but by came can can't cannot
could couldn't did didn't do does doesn't doing don't done down during each either else ever every for from further
get gets getting give given gives go goes going got had hadn't has hasn't have haven't having he her here hers herself
him himself his how however i if in instead into is isn't it its itself just let likely many may maybe me might mine
more most much must my myself neither no nor not now of off often on only onto or other others our ours ourselves out
over own per perhaps quite rather really same shall she should shouldn't since so some somehow someone something
sometimes somewhere still such than that the their theirs them themselves then there thereby therefore these they this
those though through throughout thus to together too toward towards under until up upon very via was wasn't we were
weren't what whatever when whenever where whereas whether which while who whoever whom whose why will with within
without won't would wouldn't yet you your yours yourself yourselves e.g eg i.e ie etc)";

constexpr std::string_view german = R"(
aber alle als am an auch auf aus bei beim bis bist da damit dann das dass dein dem den denn der des dich dir doch dort
du durch ein eine einem einen einer eines einige er es euch euer für gegen habe haben hatte ich ihm ihn ihnen ihr ihre
im in ist ja jede jeder jedes jene kann kein keine können mein mich mir mit muss müssen nach nicht noch nun nur ob oder
ohne sehr sein seine selbst sich sie sind so soll sollte über um und uns unser unter vom von vor wann warum weil welche
welcher wenn wer werden wie wieder wir wird wo würde zu zum zur zwischen)";

constexpr std::string_view french = R"(
à au aux avec ce ces cet cette ceux chez comme comment d dans de des donc du elle elles en est et être eu fait il ils
je j l la le les leur leurs lui ma mais me mes moi mon même n ne nos notre nous on ont ou où par pas peut pourquoi qu
quand que quel quelle quelles quels qui quoi sa sans se ses si sont soit sur ta te tes toi ton tous tout toute toutes
très tu un une vos votre vous y été était)";

constexpr std::string_view spanish = R"(
a al algo antes así aunque cada como cómo con contra cual cuál cuando cuándo cuya cuyo de del desde donde dónde durante
e el él ella ellas ellos en entre era es esa ese eso esta está están estar este esto estos fue ha hasta hay la las le
les lo los más me mi mientras mis muy nada ni no nos nosotros o os otra otro para pero poco por porque qué que quien
quién se sea según ser si sí sobre su sus también tanto te tiene todo todos tu tus un una uno unos y ya yo)";

constexpr std::string_view italian = R"(
agli ai al alla alle allo anche c che chi ci con cosa cui da dagli dai dal dall dalla dalle degli dei del dell della
delle dello di dove e è ed era essere gli ha hanno ho i il in io l la le lei lo loro lui ma mi mia mio molto ne negli
nei nel nell nella nelle noi non o ogni per perché più quale quando quanto quella quelle quelli quello questa queste
questi questo se sei si sia sono su sua sue sugli sul sulla suo suoi tra tu tutti tutto un una uno vi voi)";

constexpr std::string_view portuguese = R"(
à ao aos aquela aquele aquilo as às até com como da das de dela dele depois do dos e é ela elas ele eles em entre era
essa esse esta está estão este eu foi há isso isto já lhe mais mas me mesmo meu minha muito na não nas nem no nos nós
nossa nosso num numa o os ou para pela pelas pelo pelos por porque qual quando que quem são se sem ser seu seus só sua
suas também te tem têm teu tu tua um uma você vocês)";

constexpr std::string_view dutch = R"(
aan al als bij dan dat de der deze dit doen een en er ge geen haar had heb hebben heeft hem het hier hij hoe hun ik in
is ja je jij kan kunnen maar me meer met mij mijn naar niet nog nu om omdat ons onze ook op over te tot u uit van veel
voor waar wanneer waarom was wat we wel welke wie wij wordt worden ze zei zelf zich zij zijn zo zonder zou)";

constexpr std::string_view russian = R"(
а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее если есть еще
же за здесь и из или им их к как какая какой когда кто ли между меня мне может мой мы на над надо нас не него нее нет
ни них но ну о об однако он она они оно от очень по под после потому почему при про с сам свой себя со так также такой
там те тем то тогда того тоже той только том ты у уже хотя чего чей чем что чтобы эта эти этим этих это этого этой
этом этот я)";

struct HashOfView {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const { return std::hash<std::string_view>{}(word); }
};
using StopWords = std::unordered_set<std::string, HashOfView, std::equal_to<>>;

// The lists are read like any other text, so that they hold terms as they are indexed: "this" is "thi".
StopWords make_stop_words() {
    StopWords words;
    TermReader reader;
    for (const std::string_view list :
         {english, german, french, spanish, italian, portuguese, dutch, russian})
        for (const Term& term : reader.read(list))
            if (!term.is_part) words.emplace(term.text);
    return words;
}

}  // namespace

bool is_stop_word(std::string_view term) {
    static const StopWords words = make_stop_words();
    return words.contains(term);
}

}  // namespace quarry::text
