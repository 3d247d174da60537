// TeX's names for the characters of MathML.
#include "extract/markdown/mathml.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/ascii.h"

namespace quarry::extract {

using html::Attr;
using html::Namespace;
using html::NodeId;
using html::NodeKind;
using html::Tag;
using html::Tree;

// The bytes of the first character of `text`; at least 1.
std::size_t tex_symbol_length(std::string_view text);

// The TeX for a character that needs one ("∑" -> "\sum"), or "" if it stands for itself.
std::string_view tex_symbol(std::string_view character);

// The TeX command for an accent above something ("¯" -> "\bar"), or "".
std::string_view tex_accent(std::string_view character);

// True for the names that TeX sets upright by a command: sin, log, lim …
bool is_tex_function(std::string_view name);

namespace {

struct Symbol {
    std::string_view character;
    std::string_view tex;
};

// Sorted by the characters' bytes. The invisible operators (function application, times) become a blank.
constexpr auto symbols = std::to_array<Symbol>({{"#", "\\#"},
                                                {"$", "\\$"},
                                                {"%", "\\%"},
                                                {"&", "\\&"},
                                                {"_", "\\_"},
                                                {"{", "\\{"},
                                                {"}", "\\}"},
                                                {"\xC2\xA0", "\\ "},
                                                {"¬", "\\neg"},
                                                {"±", "\\pm"},
                                                {"·", "\\cdot"},
                                                {"×", "\\times"},
                                                {"÷", "\\div"},
                                                {"Γ", "\\Gamma"},
                                                {"Δ", "\\Delta"},
                                                {"Θ", "\\Theta"},
                                                {"Λ", "\\Lambda"},
                                                {"Ξ", "\\Xi"},
                                                {"Π", "\\Pi"},
                                                {"Σ", "\\Sigma"},
                                                {"Υ", "\\Upsilon"},
                                                {"Φ", "\\Phi"},
                                                {"Ψ", "\\Psi"},
                                                {"Ω", "\\Omega"},
                                                {"α", "\\alpha"},
                                                {"β", "\\beta"},
                                                {"γ", "\\gamma"},
                                                {"δ", "\\delta"},
                                                {"ε", "\\varepsilon"},
                                                {"ζ", "\\zeta"},
                                                {"η", "\\eta"},
                                                {"θ", "\\theta"},
                                                {"ι", "\\iota"},
                                                {"κ", "\\kappa"},
                                                {"λ", "\\lambda"},
                                                {"μ", "\\mu"},
                                                {"ν", "\\nu"},
                                                {"ξ", "\\xi"},
                                                {"π", "\\pi"},
                                                {"ρ", "\\rho"},
                                                {"ς", "\\varsigma"},
                                                {"σ", "\\sigma"},
                                                {"τ", "\\tau"},
                                                {"υ", "\\upsilon"},
                                                {"φ", "\\varphi"},
                                                {"χ", "\\chi"},
                                                {"ψ", "\\psi"},
                                                {"ω", "\\omega"},
                                                {"ϑ", "\\vartheta"},
                                                {"ϕ", "\\phi"},
                                                {"ϵ", "\\epsilon"},
                                                {"‖", "\\Vert"},
                                                {"•", "\\bullet"},
                                                {"…", "\\dots"},
                                                {"′", "'"},
                                                {"″", "''"},
                                                {"\xE2\x81\xA1", ""},
                                                {"\xE2\x81\xA2", ""},
                                                {"\xE2\x81\xA3", ","},
                                                {"\xE2\x81\xA4", ""},
                                                {"ℂ", "\\mathbb{C}"},
                                                {"ℏ", "\\hbar"},
                                                {"ℑ", "\\Im"},
                                                {"ℓ", "\\ell"},
                                                {"ℕ", "\\mathbb{N}"},
                                                {"ℙ", "\\mathbb{P}"},
                                                {"ℚ", "\\mathbb{Q}"},
                                                {"ℜ", "\\Re"},
                                                {"ℝ", "\\mathbb{R}"},
                                                {"ℤ", "\\mathbb{Z}"},
                                                {"ℵ", "\\aleph"},
                                                {"←", "\\leftarrow"},
                                                {"↑", "\\uparrow"},
                                                {"→", "\\to"},
                                                {"↓", "\\downarrow"},
                                                {"↔", "\\leftrightarrow"},
                                                {"↦", "\\mapsto"},
                                                {"⇐", "\\Leftarrow"},
                                                {"⇒", "\\Rightarrow"},
                                                {"⇔", "\\Leftrightarrow"},
                                                {"∀", "\\forall"},
                                                {"∂", "\\partial"},
                                                {"∃", "\\exists"},
                                                {"∅", "\\emptyset"},
                                                {"∇", "\\nabla"},
                                                {"∈", "\\in"},
                                                {"∉", "\\notin"},
                                                {"∋", "\\ni"},
                                                {"∏", "\\prod"},
                                                {"∐", "\\coprod"},
                                                {"∑", "\\sum"},
                                                {"−", "-"},
                                                {"∓", "\\mp"},
                                                {"∖", "\\setminus"},
                                                {"∗", "\\ast"},
                                                {"∘", "\\circ"},
                                                {"√", "\\surd"},
                                                {"∝", "\\propto"},
                                                {"∞", "\\infty"},
                                                {"∠", "\\angle"},
                                                {"∣", "\\mid"},
                                                {"∥", "\\parallel"},
                                                {"∧", "\\land"},
                                                {"∨", "\\lor"},
                                                {"∩", "\\cap"},
                                                {"∪", "\\cup"},
                                                {"∫", "\\int"},
                                                {"∬", "\\iint"},
                                                {"∭", "\\iiint"},
                                                {"∮", "\\oint"},
                                                {"∼", "\\sim"},
                                                {"≃", "\\simeq"},
                                                {"≅", "\\cong"},
                                                {"≈", "\\approx"},
                                                {"≠", "\\ne"},
                                                {"≡", "\\equiv"},
                                                {"≤", "\\le"},
                                                {"≥", "\\ge"},
                                                {"≪", "\\ll"},
                                                {"≫", "\\gg"},
                                                {"≺", "\\prec"},
                                                {"≻", "\\succ"},
                                                {"⊂", "\\subset"},
                                                {"⊃", "\\supset"},
                                                {"⊆", "\\subseteq"},
                                                {"⊇", "\\supseteq"},
                                                {"⊕", "\\oplus"},
                                                {"⊗", "\\otimes"},
                                                {"⊢", "\\vdash"},
                                                {"⊥", "\\perp"},
                                                {"⊨", "\\models"},
                                                {"⋅", "\\cdot"},
                                                {"⋆", "\\star"},
                                                {"⋮", "\\vdots"},
                                                {"⋯", "\\cdots"},
                                                {"⋱", "\\ddots"},
                                                {"⌈", "\\lceil"},
                                                {"⌉", "\\rceil"},
                                                {"⌊", "\\lfloor"},
                                                {"⌋", "\\rfloor"},
                                                {"△", "\\triangle"},
                                                {"⟨", "\\langle"},
                                                {"⟩", "\\rangle"},
                                                {"⟶", "\\longrightarrow"},
                                                {"⟹", "\\implies"},
                                                {"⟺", "\\iff"},
                                                {"𝔼", "\\mathbb{E}"}});
static_assert(std::ranges::is_sorted(symbols, {}, &Symbol::character));

constexpr auto accents = std::to_array<Symbol>(
    {{"^", "\\hat"},     {"~", "\\tilde"},    {"¨", "\\ddot"}, {"¯", "\\bar"},   {"´", "\\acute"},
     {"ˆ", "\\hat"},     {"ˇ", "\\check"},    {"ˉ", "\\bar"},  {"˘", "\\breve"}, {"˙", "\\dot"},
     {"˜", "\\tilde"},   {"̂", "\\hat"},       {"̃", "\\tilde"}, {"̄", "\\bar"},    {"̇", "\\dot"},
     {"̈", "\\ddot"},     {"‾", "\\overline"}, {"→", "\\vec"},  {"⃗", "\\vec"},    {"⏞", "\\overbrace"},
     {"―", "\\overline"}});

constexpr auto functions = std::to_array<std::string_view>(
    {"arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc",    "deg",    "det",
     "dim",    "exp",    "gcd",    "hom", "inf", "ker",  "lg",  "lim",  "liminf", "limsup", "ln",
     "log",    "max",    "min",    "sec", "sin", "sinh", "sup", "tan",  "tanh"});

}  // namespace

std::size_t tex_symbol_length(std::string_view text) {
    std::size_t length = 1;
    while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) ++length;
    return length;
}

std::string_view tex_symbol(std::string_view character) {
    const auto* found = std::ranges::lower_bound(symbols, character, {}, &Symbol::character);
    return found != symbols.end() && found->character == character ? found->tex : "";
}

std::string_view tex_accent(std::string_view character) {
    const auto* found = std::ranges::find(accents, character, &Symbol::character);
    return found == accents.end() ? "" : found->tex;
}

bool is_tex_function(std::string_view name) {
    return std::ranges::binary_search(functions, name);
}

namespace {

class TexWriter {
public:
    TexWriter(const Tree& tree, std::string& out) : tree_(tree), out_(out) {}

    void element(NodeId id) {
        const html::Node& node = tree_[id];
        if (node.kind != NodeKind::element) return;
        if (node.space != Namespace::mathml) {
            text_element(id);
            return;
        }
        switch (node.tag) {
            case Tag::mi: identifier(id); break;
            case Tag::mn:
            case Tag::mo: symbols(text(id)); break;
            case Tag::mtext:
            case Tag::ms: text_element(id); break;
            case Tag::mspace: out_ += "\\ "; break;
            case Tag::mfrac: command("\\frac", id, 2); break;
            case Tag::msqrt: root(id); break;
            case Tag::mroot: root_with_degree(id); break;
            case Tag::msub: script(id, "_"); break;
            case Tag::msup: script(id, "^"); break;
            case Tag::msubsup:
            case Tag::munderover: scripts(id); break;
            case Tag::munder: under(id); break;
            case Tag::mover: over(id); break;
            case Tag::mtable: matrix(id); break;
            case Tag::mfenced: fenced(id); break;
            case Tag::menclose: enclosed(id); break;
            case Tag::mphantom:
            case Tag::annotation:
            case Tag::annotation_xml: break;
            default: children(id);
        }
    }

    void children(NodeId id) {
        for (NodeId child = id + 1; child < tree_[id].end; child = tree_[child].end) element(child);
    }

private:
    // The text directly inside a token element.
    std::string_view text(NodeId id) const {
        for (NodeId child = id + 1; child < tree_[id].end; child = tree_[child].end) {
            if (tree_.is_text(child)) return trimmed(tree_[child].text);
        }
        return "";
    }

    void identifier(NodeId id) {
        const std::string_view name = text(id);
        if (tree_[id].end > id + 2) {
            text_element(id);
        } else if (name.size() > 1 && static_cast<unsigned char>(name[0]) < 0x80) {
            if (is_tex_function(name)) {
                out_ += '\\';
                out_ += name;
                out_ += ' ';
            } else {
                out_ += "\\mathrm{";
                symbols(name);
                out_ += '}';
            }
        } else {
            symbols(name);
        }
    }

    void text_element(NodeId id) {
        const std::size_t begin = out_.size();
        out_ += "\\text{";
        const std::size_t inside = out_.size();
        for (NodeId node = id + 1; node < tree_[id].end; ++node) {
            if (!tree_.is_text(node)) continue;
            for (const char c : tree_[node].text) {
                if (c == '{' || c == '}' || c == '$' || c == '#' || c == '%' || c == '&' || c == '_')
                    out_ += '\\';
                out_ += c == '\n' ? ' ' : c;
            }
        }
        if (out_.size() == inside) {
            out_.resize(begin);
        } else {
            out_ += '}';
        }
    }

    void symbols(std::string_view text) {
        while (!text.empty()) {
            const std::size_t length = tex_symbol_length(text);
            const std::string_view command = tex_symbol(text.substr(0, length));
            // A command's name ends where letters end.
            if (command.empty()) {
                out_ += text.substr(0, length);
            } else {
                out_ += command;
                if (command.size() > 2 && command[0] == '\\') out_ += ' ';
            }
            text.remove_prefix(length);
        }
    }

    NodeId child(NodeId id, int index) const {
        for (NodeId at = id + 1; at < tree_[id].end; at = tree_[at].end) {
            if (tree_.is_element(at) && index-- == 0) return at;
        }
        return html::no_node;
    }

    void group(NodeId id) {
        out_ += '{';
        if (id != html::no_node) element(id);
        trim();
        out_ += '}';
    }

    void trim() {
        if (out_.ends_with(' ') && !out_.ends_with("\\ ")) out_.pop_back();
    }

    void command(std::string_view name, NodeId id, int arguments) {
        out_ += name;
        for (int i = 0; i < arguments; ++i) group(child(id, i));
    }

    void root(NodeId id) {
        out_ += "\\sqrt{";
        children(id);
        trim();
        out_ += '}';
    }

    void root_with_degree(NodeId id) {
        out_ += "\\sqrt[";
        if (const NodeId degree = child(id, 1); degree != html::no_node) element(degree);
        trim();
        out_ += ']';
        group(child(id, 0));
    }

    // What a script is put on needs braces unless it is a single token.
    void base(NodeId id) {
        if (id == html::no_node) {
            out_ += "{}";
            return;
        }
        const Tag tag = tree_[id].tag;
        const bool token = tag == Tag::mi || tag == Tag::mn || tag == Tag::mo;
        if (!token && tag != Tag::mrow) {
            group(id);
            return;
        }
        const std::size_t begin = out_.size();
        element(id);
        trim();
        const bool single = token || out_.size() == begin + 1;
        if (single) return;
        out_.insert(begin, 1, '{');
        out_ += '}';
    }

    void argument(std::string_view sign, NodeId id) {
        out_ += sign;
        const std::size_t begin = out_.size();
        group(id);
        if (out_.size() == begin + 3) {  // x^{2} is written x^2
            out_.erase(begin, 1);
            out_.pop_back();
        }
    }

    void script(NodeId id, std::string_view sign) {
        base(child(id, 0));
        argument(sign, child(id, 1));
    }

    void scripts(NodeId id) {
        base(child(id, 0));
        argument("_", child(id, 1));
        argument("^", child(id, 2));
    }

    void under(NodeId id) {
        const NodeId what = child(id, 1);
        if (what != html::no_node && tree_[what].tag == Tag::mo && text(what) == "\xE2\x8F\x9F") {  // ⏟
            command("\\underbrace", id, 1);
            return;
        }
        script(id, "_");
    }

    // Accents are commands of their own; anything else above is a limit.
    void over(NodeId id) {
        const NodeId what = child(id, 1);
        const std::string_view accent = what == html::no_node ? "" : tex_accent(text(what));
        if (accent.empty()) {
            script(id, "^");
        } else {
            command(accent, id, 1);
        }
    }

    void matrix(NodeId id) {
        // A numbered equation is a table of one row, with its number in front.
        const NodeId only = child(id, 0);
        if (only != html::no_node && child(id, 1) == html::no_node && tree_[only].tag == Tag::mlabeledtr) {
            row(only, "");
            return;
        }
        out_ += "\\begin{matrix}";
        bool first = true;
        for (NodeId at = id + 1; at < tree_[id].end; at = tree_[at].end) {
            if (!tree_.is_element(at)) continue;
            out_ += first ? " " : " \\\\ ";
            first = false;
            row(at, " & ");
        }
        out_ += " \\end{matrix}";
    }

    void row(NodeId id, std::string_view separator) {
        bool label = tree_[id].tag == Tag::mlabeledtr;
        bool first = true;
        for (NodeId cell = id + 1; cell < tree_[id].end; cell = tree_[cell].end) {
            if (!tree_.is_element(cell)) continue;
            if (!std::exchange(label, false)) {
                if (!first) out_ += separator;
                first = false;
                children(cell);
                trim();
            }
        }
    }

    // A frame around something: what of it TeX has a name for.
    void enclosed(NodeId id) {
        const auto name = tree_.find_attribute_name("notation");
        const std::string_view notation = name ? tree_.attribute_or_empty(id, *name) : "";
        if (notation.find("top") != std::string_view::npos) out_ += "\\overline";
        if (notation.find("bottom") != std::string_view::npos) out_ += "\\underline";
        if (notation.find("box") != std::string_view::npos) out_ += "\\boxed";
        out_ += '{';
        children(id);
        trim();
        out_ += '}';
    }

    void fenced(NodeId id) {
        out_ += "\\left(";
        bool first = true;
        for (NodeId at = id + 1; at < tree_[id].end; at = tree_[at].end) {
            if (!tree_.is_element(at)) continue;
            if (!first) out_ += ',';
            first = false;
            element(at);
        }
        trim();
        out_ += "\\right)";
    }

    const Tree& tree_;
    std::string& out_;
};

// The source that KaTeX, LaTeXML, Wikipedia and Pandoc put beside the formula.
NodeId find_annotation(const Tree& tree, NodeId math) {
    for (NodeId id = math + 1; id < tree[math].end; ++id) {
        if (tree[id].tag != Tag::annotation || tree[id].space != Namespace::mathml) continue;
        const std::string encoding = lower_case(tree.attribute_or_empty(id, Attr::encoding));
        if (encoding.find("tex") != std::string::npos) return id;
    }
    return html::no_node;
}

}  // namespace

void append_tex(const Tree& tree, NodeId math, std::string& out) {
    if (const NodeId annotation = find_annotation(tree, math); annotation != html::no_node) {
        for (NodeId id = annotation + 1; id < tree[annotation].end; ++id) {
            if (tree.is_text(id)) out += tree[id].text;
        }
        return;
    }
    const auto alternative = tree.find_attribute_name("alttext");
    const std::string_view source = alternative ? tree.attribute_or_empty(math, *alternative) : "";
    if (!source.empty()) {
        out += source;
        return;
    }
    TexWriter(tree, out).children(math);
}

}  // namespace quarry::extract
