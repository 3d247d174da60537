#include "extract/markdown/emphasis.h"

#include <array>

#include <unicode/uchar.h>
#include <unicode/utf8.h>

namespace quarry::extract::markdown {

namespace {

enum class Neighbour : std::uint8_t { space, punctuation, symbol, other };

// Readers differ. Whether €, → and the like count as punctuation depends on the version of CommonMark (since
// 0.31 they do; ASCII symbols always did), and cmark-gfm looks through tildes at what stands behind them.
struct Dialect {
    bool symbols_are_punctuation = true;
    bool tildes_are_transparent = false;
};

Neighbour classify(UChar32 character) {
    if (character < 128) {
        if (character <= ' ') return Neighbour::space;
        const bool letter_or_digit =
            (character >= '0' && character <= '9') || ((character | 32) >= 'a' && (character | 32) <= 'z');
        return letter_or_digit ? Neighbour::other : Neighbour::punctuation;
    }
    const std::uint32_t category = U_MASK(u_charType(character));
    if ((category & U_GC_ZS_MASK) != 0) return Neighbour::space;
    if ((category & U_GC_P_MASK) != 0) return Neighbour::punctuation;
    return (category & U_GC_S_MASK) != 0 ? Neighbour::symbol : Neighbour::other;
}

Neighbour before(std::string_view text, std::size_t offset, bool skip_tildes) {
    while (skip_tildes && offset > 0 && text[offset - 1] == '~') --offset;
    if (offset == 0) return Neighbour::space;
    auto at = static_cast<std::int32_t>(offset);
    UChar32 character = 0;
    U8_PREV(reinterpret_cast<const std::uint8_t*>(text.data()), 0, at, character);
    return classify(character < 0 ? 0xFFFD : character);
}

Neighbour after(std::string_view text, std::size_t offset, bool skip_tildes) {
    while (skip_tildes && offset < text.size() && text[offset] == '~') ++offset;
    if (offset >= text.size()) return Neighbour::space;
    auto at = static_cast<std::int32_t>(offset);
    UChar32 character = 0;
    U8_NEXT(reinterpret_cast<const std::uint8_t*>(text.data()), at, static_cast<std::int32_t>(text.size()),
            character);
    return classify(character < 0 ? 0xFFFD : character);
}

bool has_delimiter(const Mark& mark) {
    return mark.format <= Format::strike && mark.form != Form::tag;
}

char delimiter(const Mark& mark) {
    if (mark.format == Format::strike) return '~';
    return mark.form == Form::star ? '*' : '_';
}

std::uint32_t width(const Mark& mark) {
    return mark.format == Format::emphasis ? 1 : 2;
}

// Marks that stand side by side and use the same character: what CommonMark calls a delimiter run.
struct Run {
    std::uint32_t first_mark = 0;
    std::uint32_t end_mark = 0;
    std::uint32_t length = 0;   // as written
    std::uint32_t left = 0;     // not yet matched
    std::uint32_t next_closer;  // marks are matched from the left when closing
    std::uint32_t next_opener;  // and from the right when opening; one past
    char character = '*';
    bool can_open = false;
    bool can_close = false;
};

// Plays through what a CommonMark reader would do with the marks, to see whether it comes to the same pairs.
class Reader {
public:
    Reader(std::string_view text, std::vector<Mark>& marks) : text_(text), marks_(marks) {}

    // True if every pair is read as meant. Otherwise some marks have been given another form, to be tried
    // again.
    bool reads_back(Dialect dialect) {
        dialect_ = dialect;
        open_.clear();
        barriers_.clear();
        bad_.assign(marks_.size(), false);
        met_symbol_ = met_tilde_ = changed_ = false;
        for (std::uint32_t i = 0; i < marks_.size();) i = read(i);
        for (const Run& run : open_) give_up(run);
        if (!changed_) improve_first_bad();
        return !changed_;
    }
    // Whether anything was found that readers see differently.
    bool met_symbol() const { return met_symbol_; }
    bool met_tilde() const { return met_tilde_; }

private:
    static constexpr std::size_t most_open_runs = 32;

    std::uint32_t read(std::uint32_t index) {
        const Mark& mark = marks_[index];
        if (mark.format == Format::link) {
            read_link(mark);
            return index + 1;
        }
        if (!has_delimiter(mark)) return index + 1;
        Run run = collect(index);
        use_tags_where_marks_cannot_work(run);
        while (run.can_close && run.left > 0 && close(run)) {
        }
        if (run.can_open && run.left > 0 && open_.size() < most_open_runs) {
            open_.push_back(run);
        } else {
            give_up(run);
        }
        return run.end_mark;
    }

    // What is inside a link's brackets is matched there, before anything around it.
    void read_link(const Mark& mark) {
        if (mark.opens) {
            barriers_.push_back(open_.size());
            return;
        }
        const std::size_t barrier = barriers_.empty() ? 0 : barriers_.back();
        if (!barriers_.empty()) barriers_.pop_back();
        while (open_.size() > barrier) {
            give_up(open_.back());
            open_.pop_back();
        }
    }

    Run collect(std::uint32_t index) {
        const Mark& first = marks_[index];
        Run run{.first_mark = index, .end_mark = index, .next_closer = index, .next_opener = index};
        run.character = delimiter(first);
        while (run.end_mark < marks_.size() && marks_[run.end_mark].offset == first.offset &&
               has_delimiter(marks_[run.end_mark]) && delimiter(marks_[run.end_mark]) == run.character) {
            run.length += width(marks_[run.end_mark++]);
        }
        run.left = run.length;
        run.next_opener = run.end_mark;
        set_flanking(run, first.offset);
        return run;
    }

    void set_flanking(Run& run, std::uint32_t offset) {
        const Neighbour left = left_of(run, offset);
        const Neighbour right = right_of(run, offset);
        const bool left_flanking =
            right != Neighbour::space && (right != Neighbour::punctuation || left != Neighbour::other);
        const bool right_flanking =
            left != Neighbour::space && (left != Neighbour::punctuation || right != Neighbour::other);
        const bool inside_word = run.character == '_';
        run.can_open = left_flanking && (!inside_word || !right_flanking || left == Neighbour::punctuation);
        run.can_close = right_flanking && (!inside_word || !left_flanking || right == Neighbour::punctuation);
    }

    // A mark beside the run is punctuation to it, except for what looks through tildes.
    Neighbour left_of(const Run& run, std::uint32_t offset) {
        std::uint32_t index = run.first_mark;
        while (index > 0 && marks_[index - 1].offset == offset) {
            if (!is_see_through(run, marks_[index - 1])) return Neighbour::punctuation;
            --index;
        }
        met_tilde_ |= offset > 0 && text_[offset - 1] == '~';
        return settled(before(text_, offset, skips_tildes(run)));
    }

    Neighbour right_of(const Run& run, std::uint32_t offset) {
        std::uint32_t index = run.end_mark;
        while (index < marks_.size() && marks_[index].offset == offset) {
            if (!is_see_through(run, marks_[index])) return Neighbour::punctuation;
            ++index;
        }
        met_tilde_ |= offset < text_.size() && text_[offset] == '~';
        return settled(after(text_, offset, skips_tildes(run)));
    }

    bool skips_tildes(const Run& run) const {
        return dialect_.tildes_are_transparent && run.character != '~';
    }

    bool is_see_through(const Run& run, const Mark& mark) {
        const bool tilde = has_delimiter(mark) && mark.format == Format::strike;
        met_tilde_ |= tilde;
        return tilde && skips_tildes(run);
    }

    Neighbour settled(Neighbour neighbour) {
        if (neighbour != Neighbour::symbol) return neighbour;
        met_symbol_ = true;
        return dialect_.symbols_are_punctuation ? Neighbour::punctuation : Neighbour::other;
    }

    // What cannot open or close where it stands never will with a delimiter.
    void use_tags_where_marks_cannot_work(const Run& run) {
        for (std::uint32_t i = run.first_mark; i < run.end_mark; ++i) {
            if (marks_[i].opens ? run.can_open : run.can_close) continue;
            marks_[i].form = marks_[marks_[i].partner].form = Form::tag;
            changed_ = true;
        }
    }

    // Finds the nearest run this one closes, and pairs as many delimiters of the two as one match takes.
    bool close(Run& closer) {
        const std::size_t bottom = barriers_.empty() ? 0 : barriers_.back();
        for (std::size_t i = open_.size(); i > bottom; --i) {
            Run& opener = open_[i - 1];
            if (opener.character != closer.character || !may_match(opener, closer)) continue;
            while (open_.size() > i) {
                give_up(open_.back());
                open_.pop_back();
            }
            match(opener, closer);
            if (opener.left == 0) open_.pop_back();
            return true;
        }
        return false;
    }

    // CommonMark's "multiple of 3" rule; strikethrough instead wants equal lengths.
    static bool may_match(const Run& opener, const Run& closer) {
        if (closer.character == '~') return opener.length == closer.length;
        if (!opener.can_close && !closer.can_open) return true;
        return (opener.length + closer.length) % 3 != 0 || (opener.length % 3 == 0 && closer.length % 3 == 0);
    }

    void match(Run& opener, Run& closer) {
        const std::uint32_t used = opener.left >= 2 && closer.left >= 2 ? 2 : 1;
        opener.left -= used;
        closer.left -= used;
        if (opener.next_opener == opener.first_mark || closer.next_closer == closer.end_mark) return;
        const std::uint32_t opening = --opener.next_opener;
        const std::uint32_t closing = closer.next_closer++;
        if (marks_[opening].partner == closing && width(marks_[opening]) == used) return;
        bad_[opening] = bad_[closing] = true;
    }

    void give_up(const Run& run) {
        if (run.left == 0) return;
        for (std::uint32_t i = run.next_closer; i < run.next_opener; ++i) bad_[i] = true;
    }

    // One misreading makes others; so one change at a time.
    void improve_first_bad() {
        for (std::uint32_t i = 0; i < marks_.size(); ++i) {
            if (!bad_[i] || !has_delimiter(marks_[i])) continue;
            // Of two that begin together the inner one changes: `**_both_**`.
            while (i + 1 < marks_.size() && bad_[i + 1] && marks_[i + 1].opens &&
                   marks_[i + 1].offset == marks_[i].offset && has_delimiter(marks_[i + 1])) {
                ++i;
            }
            Mark& mark = marks_[i];
            const bool can_underscore = mark.form == Form::star && mark.format != Format::strike;
            mark.form = can_underscore ? Form::underscore : Form::tag;
            marks_[mark.partner].form = mark.form;
            changed_ = true;
            return;
        }
    }

    std::string_view text_;
    std::vector<Mark>& marks_;
    std::vector<Run> open_;
    std::vector<std::size_t> barriers_;
    std::vector<bool> bad_;
    Dialect dialect_;
    bool met_symbol_ = false;
    bool met_tilde_ = false;
    bool changed_ = false;
};

bool any_delimiters(const std::vector<Mark>& marks) {
    for (const Mark& mark : marks) {
        if (has_delimiter(mark)) return true;
    }
    return false;
}

}  // namespace

void choose_forms(std::string_view text, std::vector<Mark>& marks) {
    if (!any_delimiters(marks)) return;
    Reader reader(text, marks);
    // Ordinary text needs one pass. Each further one changes a form; text that still is not settled is odd
    // enough for tags.
    for (int attempt = 0; attempt < 16; ++attempt) {
        if (!reader.reads_back({})) continue;
        const bool symbols = reader.met_symbol();
        const bool tildes = reader.met_tilde();
        if (symbols && !reader.reads_back({.symbols_are_punctuation = false})) continue;
        if (tildes && !reader.reads_back({.tildes_are_transparent = true})) continue;
        if (symbols && tildes &&
            !reader.reads_back({.symbols_are_punctuation = false, .tildes_are_transparent = true}))
            continue;
        return;
    }
    for (Mark& mark : marks) {
        if (mark.format <= Format::strike) mark.form = Form::tag;
    }
}

std::string_view spelling(const Mark& mark) {
    static constexpr std::array<std::array<std::string_view, 2>, 8> tags{{{"</strong>", "<strong>"},
                                                                          {"</em>", "<em>"},
                                                                          {"</del>", "<del>"},
                                                                          {"", ""},
                                                                          {"</sub>", "<sub>"},
                                                                          {"</sup>", "<sup>"},
                                                                          {"</kbd>", "<kbd>"},
                                                                          {"</ins>", "<ins>"}}};
    static constexpr std::array<std::array<std::string_view, 2>, 3> delimiters{
        {{"**", "__"}, {"*", "_"}, {"~~", "~~"}}};
    const auto format = static_cast<std::size_t>(mark.format);
    if (has_delimiter(mark)) return delimiters[format][static_cast<std::size_t>(mark.form)];
    return tags[format][mark.opens ? 1 : 0];
}

}  // namespace quarry::extract::markdown
