// Formulas: MathML, KaTeX, MathJax, and TeX between delimiters become $…$ and $$…$$.
#include <algorithm>

#include "extract/ascii.h"
#include "extract/markdown_writer.h"
#include "extract/mathml.h"

namespace quarry::extract::markdown {

using html::Attr;
using html::Namespace;
using html::NodeId;
using html::Tag;
using html::Tree;

namespace {

constexpr NodeId most_nodes = 4000;

NodeId find_math(const Tree& tree, NodeId id) {
    const NodeId end = std::min(tree[id].end, id + most_nodes);
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

bool is_display(const Tree& tree, NodeId math) {
    const std::string_view display = tree.attribute_or_empty(math, Attr::display);
    return display == "block" || display == "true";
}

struct Delimiters {
    std::string_view begin;
    std::string_view end;
    bool display;
};
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
        if (space) out += ' ';
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
    if (tree_[id].tag != Tag::math) {
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

// Elements that show a formula. True if it has been written, or will be from its source.
bool Writer::formula(NodeId id, ClassTraits traits) {
    if (traits.has(ClassTrait::math_picture) && source_follows(tree_, id)) return true;
    if (traits.has(ClassTrait::katex) || traits.has(ClassTrait::katex_display) ||
        traits.has(ClassTrait::math_picture)) {
        const NodeId math = find_math(tree_, id);
        if (math == html::no_node) return false;
        std::string tex;
        append_tex(tree_, math, tex);
        write_formula(tex, traits.has(ClassTrait::katex_display) || is_display(tree_, math));
        return true;
    }
    if (!traits.has(ClassTrait::math_source) || tree_[id].end != id + 2 || !tree_.is_text(id + 1))
        return false;
    const std::string_view text = trimmed(tree_[id + 1].text);
    for (const Delimiters& delimiters : all_delimiters) {
        if (text.size() <= delimiters.begin.size() + delimiters.end.size() ||
            !text.starts_with(delimiters.begin) || !text.ends_with(delimiters.end))
            continue;
        const std::size_t size = text.size() - delimiters.begin.size() - delimiters.end.size();
        write_formula(text.substr(delimiters.begin.size(), size), delimiters.display);
        return true;
    }
    return false;
}

}  // namespace quarry::extract::markdown
