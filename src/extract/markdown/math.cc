// Formulas: MathML, KaTeX, MathJax, and TeX between delimiters become $…$ and $$…$$.
#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "extract/markdown/mathml.h"
#include "extract/markdown/writer.h"

namespace quarry::extract::markdown {

using html::Attr;
using html::Namespace;
using html::NodeId;
using html::Tag;
using html::Tree;

namespace {

constexpr NodeId most_math_nodes = 4000;

NodeId find_math(const Tree& tree, NodeId id) {
    const NodeId end = std::min(tree[id].end, id + most_math_nodes);
    for (NodeId inside = id + 1; inside < end; ++inside) {
        if (tree[inside].space == Namespace::mathml && tree[inside].tag == Tag::math &&
            tree.is_element(inside))
            return inside;
    }
    return html::no_node;
}

bool is_math_script(const Tree& tree, NodeId id) {
    return tree.is(id, Tag::script) && tree.attribute_or_empty(id, Attr::type).starts_with("math/tex");
}

// MathJax leaves its picture in front of the script that holds the source.
bool source_follows(const Tree& tree, NodeId id) {
    NodeId next = tree.next_sibling(id);
    for (int seen = 0; seen < 3 && next != html::no_node; ++seen, next = tree.next_sibling(next)) {
        if (is_math_script(tree, next)) return true;
    }
    return false;
}

// Pages from before MathML show formulas as pictures, with the source as their alternative text.
NodeId find_picture(const Tree& tree, NodeId id) {
    const NodeId end = std::min(tree[id].end, id + 16);
    for (NodeId inside = id + 1; inside < end; ++inside) {
        if (tree.is(inside, Tag::img)) return inside;
    }
    return html::no_node;
}

// Prices and regular expressions have dollars and backslashes, too: TeX shows by its commands, scripts and
// braces.
bool looks_like_tex(std::string_view tex) {
    if (tex.size() == 1) return is_ascii_letter(tex[0]);
    return tex.size() < 4000 && tex.find_first_of("\\^_{=") != std::string_view::npos;
}

bool is_display(const Tree& tree, NodeId math) {
    const std::string_view display = tree.attribute_or_empty(math, Attr::display);
    return display == "block" || display == "true";
}

struct Delimiters {
    std::string_view begin;
    std::string_view end;
    bool display;
};
// Longer ones first, so that $$ is not read as two $.
constexpr Delimiters all_delimiters[] = {
    {"\\(", "\\)", false}, {"\\[", "\\]", true}, {"$$", "$$", true}, {"$", "$", false}};

// Wikipedia wraps everything in {\displaystyle …}.
std::string_view unwrapped(std::string_view tex) {
    tex = trimmed(tex);
    for (const std::string_view wrapper : {"{\\displaystyle", "{\\textstyle"}) {
        if (tex.starts_with(wrapper) && tex.ends_with('}'))
            return trimmed(tex.substr(wrapper.size(), tex.size() - wrapper.size() - 1));
    }
    return tex;
}

// Appends without the line breaks that would end a paragraph or a cell.
void append_on_one_line(std::string& out, std::string_view tex) {
    bool space = false;
    for (const char c : tex) {
        if (c == '\n' || c == '\r' || c == '\t' || c == ' ') {
            space = true;
            continue;
        }
        // A letter right behind would make it a tag.
        if (space || out.ends_with('<')) out += ' ';
        space = false;
        out += c;
    }
}

void append_without_empty_lines(std::string& out, std::string_view tex) {
    while (!tex.empty()) {
        const std::size_t newline = std::min(tex.find('\n'), tex.size());
        const std::string_view line = tex.substr(0, newline);
        if (!trimmed(line).empty()) {
            out += '\n';
            out += line;
        }
        tex.remove_prefix(std::min(newline + 1, tex.size()));
    }
}

}  // namespace

void Writer::write_formula(std::string_view tex, bool display) {
    tex = unwrapped(tex);
    if (tex.empty()) return;
    std::string formula;
    if (!display || place_ != Place::blocks) {
        formula = "$";
        append_on_one_line(formula, tex);
        formula += '$';
        run_.raw(formula);
        return;
    }
    end_paragraph();
    begin_block(Block::paragraph);
    formula = "$$";
    append_without_empty_lines(formula, tex);
    formula += "\n$$";
    out_.write_lines(formula);
}

void Writer::math_element(NodeId id) {
    // Pieces of MathML outside of <math> are not a formula.
    if (tree_[id].tag != Tag::math || swallows_page(id)) {
        children(id);
        return;
    }
    std::string tex;
    append_tex(tree_, id, tex);
    write_formula(tex, is_display(tree_, id));
}

bool Writer::math_script(NodeId id) {
    if (!is_math_script(tree_, id)) return false;
    const bool display = tree_.attribute_or_empty(id, Attr::type).find("display") != std::string_view::npos;
    write_formula(tree_.text_content(id), display);
    return true;
}

namespace {

// Every miss may look to the end of the text.
constexpr std::size_t most_misses = 64;

// A formula between delimiters, for a script to render: where it ends, and what is in it.
struct Formula {
    std::size_t end = 0;
    std::string_view tex{};
    bool display = false;
};

std::optional<Formula> formula_at(std::string_view text, std::size_t at) {
    for (const Delimiters& delimiters : all_delimiters) {
        if (!text.substr(at).starts_with(delimiters.begin)) continue;
        const std::size_t begin = at + delimiters.begin.size();
        const std::size_t end = text.find(delimiters.end, begin);
        if (end == std::string_view::npos) return std::nullopt;
        const std::string_view tex = text.substr(begin, end - begin);
        const bool single = delimiters.begin == "$";
        const std::size_t next = end + delimiters.end.size();
        const bool spaced = !tex.empty() && (tex.front() == ' ' || tex.back() == ' ');
        const bool before_digit = next < text.size() && text[next] >= '0' && text[next] <= '9';
        if (!looks_like_tex(tex) || (single && (spaced || before_digit))) return std::nullopt;
        return Formula{.end = next, .tex = tex, .display = delimiters.display};
    }
    return std::nullopt;
}

// All of the text is a formula: the element around it says so.
std::optional<Formula> whole_formula(std::string_view text) {
    text = trimmed(text);
    for (const Delimiters& delimiters : all_delimiters) {
        const std::size_t size = delimiters.begin.size() + delimiters.end.size();
        if (text.size() <= size || !text.starts_with(delimiters.begin) || !text.ends_with(delimiters.end))
            continue;
        return Formula{.tex = text.substr(delimiters.begin.size(), text.size() - size),
                       .display = delimiters.display};
    }
    return std::nullopt;
}

}  // namespace

// Elements that show a formula. True if it has been written, or will be from its source.
bool Writer::formula(NodeId id, ClassTraits traits) {
    if (traits.has(ClassTrait::math_source) && tree_[id].end == id + 2 && tree_.is_text(id + 1)) {
        const std::optional<Formula> whole = whole_formula(tree_[id + 1].text);
        if (whole) write_formula(whole->tex, whole->display);
        return whole.has_value();
    }
    if (traits.has(ClassTrait::math_picture) && source_follows(tree_, id)) return true;
    if (!traits.has(ClassTrait::katex) && !traits.has(ClassTrait::katex_display) &&
        !traits.has(ClassTrait::math_picture))
        return false;
    const NodeId math = find_math(tree_, id);
    const NodeId picture = math == html::no_node ? find_picture(tree_, id) : html::no_node;
    if (math == html::no_node && picture == html::no_node) return false;
    std::string tex;
    if (math != html::no_node) {
        append_tex(tree_, math, tex);
    } else {
        tex = tree_.attribute_or_empty(picture, Attr::alt);
    }
    write_formula(
        tex, traits.has(ClassTrait::katex_display) || (math != html::no_node && is_display(tree_, math)));
    return true;
}

// MathJax 3 and 4. Without MathML beside it, what it shows is a line of symbols.
void Writer::mathjax_element(NodeId id) {
    const NodeId math = find_math(tree_, id);
    if (math == html::no_node) {
        children(id);
        return;
    }
    std::string tex;
    append_tex(tree_, math, tex);
    write_formula(tex, is_display(tree_, id) || is_display(tree_, math));
}

// True if the picture is a formula and has been written as one.
bool Writer::formula_image(NodeId id) {
    const std::string_view tex = trimmed(tree_.attribute_or_empty(id, Attr::alt));
    const bool command = tex.size() > 2 && tex[0] == '\\' && is_ascii_letter(tex[1]) &&
                         tex.find('{') != std::string_view::npos;
    const bool marked = tree_.has_class(id, "latex") || tree_.has_class(id, "tex");
    if (tex.empty() || (!command && !marked)) return false;
    write_formula(tex, tex.starts_with("\\begin"));
    return true;
}

// Writes text up to its end, with the formulas in it. Only called for text that has a delimiter.
void Writer::text_with_formulas(std::string_view text) {
    std::size_t written = 0;
    std::size_t misses = 0;
    for (std::size_t i = text.find_first_of("\\$"); i != std::string_view::npos && misses < most_misses;
         i = text.find_first_of("\\$", i)) {
        const std::optional<Formula> formula = formula_at(text, i);
        if (!formula) {
            ++misses;
            i += text[i] == '$' && text.substr(i).starts_with("$$") ? 2 : 1;
            continue;
        }
        run_.text(text.substr(written, i - written));
        write_formula(formula->tex, formula->display);
        written = i = formula->end;
    }
    run_.text(text.substr(written));
}

}  // namespace quarry::extract::markdown
