// Which language a code block is in, from the names that highlighters leave on it.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "extract/markdown/classes.h"
#include "extract/markdown/escape.h"
#include "extract/markdown/writer.h"
#include "extract/selection.h"
#include "html/tree.h"

namespace quarry::extract::markdown {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

// The language for a fence's info string ("python", "cpp"), or "" if the page does not say. Looks at the
// element, at what it holds and at what is closely around it.
std::string code_language(const html::Tree& tree, html::NodeId block);

// The text of a code block, as it was before a highlighter wrapped it in elements.

// Appends the code below `id`: indentation as it is, one line per line, without line numbers and buttons,
// without empty lines at the end. True if there were elements beside a plain <code>.
bool append_code_text(const html::Tree& tree, const Selection& selection, html::NodeId id, std::string& out);

namespace {

// Names that are also ordinary words (go, text, make, less) count only where a highlighter puts a language.
constexpr auto known_languages = std::to_array<std::string_view>({"actionscript",
                                                                  "ada",
                                                                  "apache",
                                                                  "applescript",
                                                                  "arduino",
                                                                  "asciidoc",
                                                                  "asm",
                                                                  "awk",
                                                                  "bash",
                                                                  "basic",
                                                                  "bat",
                                                                  "batch",
                                                                  "c",
                                                                  "c++",
                                                                  "clojure",
                                                                  "cmake",
                                                                  "cobol",
                                                                  "coffeescript",
                                                                  "console",
                                                                  "cpp",
                                                                  "cs",
                                                                  "csharp",
                                                                  "css",
                                                                  "csv",
                                                                  "cuda",
                                                                  "cython",
                                                                  "d",
                                                                  "dart",
                                                                  "delphi",
                                                                  "diff",
                                                                  "django",
                                                                  "docker",
                                                                  "dockerfile",
                                                                  "elisp",
                                                                  "elixir",
                                                                  "elm",
                                                                  "erlang",
                                                                  "fish",
                                                                  "fortran",
                                                                  "fsharp",
                                                                  "gherkin",
                                                                  "glsl",
                                                                  "go",
                                                                  "golang",
                                                                  "gradle",
                                                                  "graphql",
                                                                  "groovy",
                                                                  "handlebars",
                                                                  "haskell",
                                                                  "hcl",
                                                                  "html",
                                                                  "http",
                                                                  "ini",
                                                                  "java",
                                                                  "javascript",
                                                                  "jinja",
                                                                  "js",
                                                                  "json",
                                                                  "json5",
                                                                  "jsonc",
                                                                  "jsp",
                                                                  "jsx",
                                                                  "julia",
                                                                  "kotlin",
                                                                  "latex",
                                                                  "less",
                                                                  "lisp",
                                                                  "llvm",
                                                                  "lua",
                                                                  "makefile",
                                                                  "markdown",
                                                                  "markup",
                                                                  "mathematica",
                                                                  "matlab",
                                                                  "md",
                                                                  "mdx",
                                                                  "nasm",
                                                                  "nginx",
                                                                  "nim",
                                                                  "nix",
                                                                  "objc",
                                                                  "objective-c",
                                                                  "objectivec",
                                                                  "ocaml",
                                                                  "pascal",
                                                                  "perl",
                                                                  "php",
                                                                  "plsql",
                                                                  "postgresql",
                                                                  "powershell",
                                                                  "prolog",
                                                                  "properties",
                                                                  "proto",
                                                                  "protobuf",
                                                                  "ps1",
                                                                  "puppet",
                                                                  "py",
                                                                  "pycon",
                                                                  "python",
                                                                  "python3",
                                                                  "r",
                                                                  "rb",
                                                                  "rest",
                                                                  "rst",
                                                                  "ruby",
                                                                  "rust",
                                                                  "sass",
                                                                  "scala",
                                                                  "scheme",
                                                                  "scss",
                                                                  "sh",
                                                                  "shell",
                                                                  "shell-session",
                                                                  "smalltalk",
                                                                  "solidity",
                                                                  "sql",
                                                                  "svelte",
                                                                  "swift",
                                                                  "tcl",
                                                                  "terraform",
                                                                  "tex",
                                                                  "toml",
                                                                  "ts",
                                                                  "tsx",
                                                                  "twig",
                                                                  "typescript",
                                                                  "vb",
                                                                  "vbnet",
                                                                  "verilog",
                                                                  "vhdl",
                                                                  "vim",
                                                                  "vue",
                                                                  "wasm",
                                                                  "xml",
                                                                  "yaml",
                                                                  "yml",
                                                                  "zig",
                                                                  "zsh"});

bool is_known(std::string_view name) {
    return std::ranges::binary_search(known_languages, name);
}

// Values that say that there is no language.
bool says_nothing(std::string_view name) {
    static constexpr std::array<std::string_view, 10> names{
        "",     "none",        "auto",         "default", "undefined",
        "null", "nohighlight", "no-highlight", "generic", "language"};
    return std::ranges::find(names, name) != names.end();
}

// The name alone, without options behind it. What is longer than any name is not one.
std::string clean(std::string_view name) {
    name = trimmed(name);
    std::size_t end = 0;
    while (end < name.size() && static_cast<unsigned char>(name[end]) > ' ' &&
           !std::string_view(",{:`").contains(name[end]) && (name[end] != ';' || end == 0)) {
        ++end;
    }
    if (end > 40) return "";
    std::string lower = lower_case(name.substr(0, end));
    if (says_nothing(lower)) return "";
    return is_known(lower) ? lower : std::string(name.substr(0, end));
}

// "text-html-basic", "source-js", "source-python": GitHub's names of grammars.
std::string_view grammar_language(std::string_view grammar) {
    for (const std::string_view kind : {"source-", "text-"}) {
        if (grammar.starts_with(kind))
            return grammar.substr(kind.size(), grammar.find('-', kind.size()) - kind.size());
    }
    return "";
}

// A class name that names the language by its form: language-x, lang-x, highlight-x, brush:x …
std::string_view language_in_class(std::string_view name) {
    if (name.starts_with("highlight-")) {
        name.remove_prefix(10);
        const std::string_view language = grammar_language(name);
        if (!language.empty()) return language;
        return is_known(lower_case(name)) || name == "text" || name == "ipython3" ? name : "";
    }
    for (const std::string_view prefix :
         {"language-", "lang-", "lang:", "brush:", "syntax-", "highlighter-", "code-lang-"}) {
        if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
        name.remove_prefix(prefix.size());
        return name == "rouge" || name.starts_with("rouge ") ? "" : name;
    }
    return "";
}

struct ClassReading {
    std::string_view named{};   // by form
    std::string_view listed{};  // a bare name of a language beside a highlighter's
    bool highlighter = false;
    bool brush = false;  // "brush:" stood alone; the next name is the language
};

ClassReading read_classes(std::string_view class_attribute) {
    static constexpr std::array<std::string_view, 10> highlighters{
        "hljs",  "sourceCode", "prettyprint",    "highlight", "shiki",
        "prism", "codehilite", "EnlighterJSRAW", "src",       "syntaxhighlighter"};
    ClassReading reading;
    any_class(class_attribute, [&](std::string_view name) {
        if (reading.brush && reading.named.empty()) reading.named = name;
        reading.brush = name == "brush:";
        reading.highlighter |= std::ranges::find(highlighters, name) != highlighters.end();
        if (reading.named.empty()) reading.named = language_in_class(name);
        if (reading.named.empty() && name.starts_with("src-")) reading.named = name.substr(4);  // Org mode
        if (reading.listed.empty() && is_known(lower_case(name))) reading.listed = name;
        return false;
    });
    return reading;
}

class LanguageFinder {
public:
    explicit LanguageFinder(const Tree& tree)
        : tree_(tree),
          enlighter_(tree.find_attribute_name("data-enlighter-language")),
          code_language_(tree.find_attribute_name("data-code-language")) {}

    // `bare_names`: a lone "python" counts as the language although no highlighter is named.
    std::string of(NodeId id, bool bare_names) const {
        for (const auto& attribute : tree_.attributes(id)) {
            const bool names_language = attribute.name == Attr::data_lang ||
                                        attribute.name == Attr::data_language ||
                                        attribute.name == enlighter_ || attribute.name == code_language_;
            if (!names_language) continue;
            std::string language = clean(attribute.value);
            if (!language.empty()) return language;
        }
        const ClassReading reading = read_classes(tree_.attribute_or_empty(id, Attr::class_));
        std::string language = clean(reading.named);
        if (language.empty() && (reading.highlighter || bare_names)) language = clean(reading.listed);
        return language;
    }

private:
    const Tree& tree_;
    std::optional<Attr> enlighter_;
    std::optional<Attr> code_language_;
};

// The label that an editor shows above the code.
std::string language_in_label(const Tree& tree, NodeId block) {
    const NodeId end = std::min(tree[block].end, block + 40);
    for (NodeId inside = block + 1; inside < end; ++inside) {
        if (tree.is(inside, Tag::code) || tree.has_class(inside, "cm-content")) return "";
        if (!tree.is_text(inside)) continue;
        std::string label = lower_case(trimmed(tree[inside].text).substr(0, 20));
        if (!label.empty()) return is_known(label) ? label : "";
    }
    return "";
}

}  // namespace

std::string code_language(const Tree& tree, NodeId block) {
    const LanguageFinder finder(tree);
    std::string language = finder.of(block, true);
    const NodeId end = std::min(tree[block].end, block + 6);
    for (NodeId inside = block + 1; inside < end && language.empty(); ++inside) {
        if (tree.is(inside, Tag::code) || tree.is(inside, Tag::pre)) language = finder.of(inside, true);
    }
    if (language.empty() && tree[block].end > block + 2 && tree.is(block + 1, Tag::div)) {
        language = language_in_label(tree, block);
    }
    // Around: wrappers that hold little else.
    NodeId ancestor = tree[block].parent;
    for (int level = 0; level < 4 && language.empty() && ancestor != html::no_node && ancestor != tree.body();
         ++level) {
        if (!tree.is_element(ancestor) || tree[ancestor].tag == Tag::li || tree[ancestor].tag == Tag::article)
            break;
        language = finder.of(ancestor, false);
        ancestor = tree[ancestor].parent;
    }
    return language;
}

namespace {

constexpr html::TagSet not_code{Tag::button,   Tag::style,     Tag::script, Tag::select, Tag::input,
                                Tag::textarea, Tag::template_, Tag::svg,    Tag::rp,     Tag::noscript};
constexpr html::TagSet line_tags{Tag::div, Tag::p,  Tag::li,    Tag::tr,
                                 Tag::ol,  Tag::ul, Tag::table, Tag::section};

bool is_number(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos) return true;
    return text.find_first_not_of("0123456789. \t\n|", begin) == std::string_view::npos;
}

class CodeReader {
public:
    CodeReader(const Tree& tree, const Selection& selection, std::string& out)
        : tree_(tree), selection_(selection), out_(out), begin_(out.size()) {}

    void children(NodeId id) {
        for (NodeId child = id + 1; child < tree_[id].end; child = tree_[child].end) {
            if (tree_.is_text(child)) {
                text(tree_[child].text);
            } else if (tree_.is_element(child) && selection_.keeps(child)) {
                element(child);
            }
        }
    }

    // Whether elements were found other than <code> and <br>.
    bool has_markup() const { return has_markup_; }

private:
    void element(NodeId id) {
        const html::Node& node = tree_[id];
        if (node.tag == Tag::br) {
            end_line();
            out_ += '\n';
            return;
        }
        if (node.tag != Tag::code) has_markup_ = true;
        if (not_code.contains(node.tag)) return;
        const ClassTraits traits = class_traits(tree_.attribute_or_empty(id, Attr::class_));
        if (traits.has(ClassTrait::copy_button) || is_line_number(id, traits)) return;
        const bool is_line = line_tags.contains(node.tag) || traits.has(ClassTrait::code_line) ||
                             (data_line_ && tree_.attribute(id, *data_line_));
        if (!is_line) {
            children(id);
            return;
        }
        end_line();
        const std::size_t before = out_.size();
        children(id);
        line_ended_ = out_.size() == before || out_.back() != '\n';
    }

    bool is_line_number(NodeId id, ClassTraits traits) const {
        if (traits.has(ClassTrait::line_numbers)) return true;
        const html::Node& node = tree_[id];
        if (node.end > id + 3 || node.tag == Tag::code) return false;
        const std::string_view text = node.end == id + 2 && tree_.is_text(id + 1) ? tree_[id + 1].text : "";
        if (!is_number(text)) return false;
        if (tree_.attribute(id, Attr::data_line_number)) return true;
        if (text.empty()) return false;
        const std::string_view style = tree_.attribute_or_empty(id, Attr::style);
        if (style.find("user-select") != std::string_view::npos) return true;
        return is_followed_by_line(id);
    }

    // <div><span>1</span><div>code</div></div>: a number beside a block that holds the line.
    bool is_followed_by_line(NodeId id) const {
        const html::Node& parent = tree_[tree_[id].parent];
        const NodeId next = tree_.next_sibling(id);
        return parent.tag == Tag::div && tree_[id].parent + 1 == id && tree_[id].tag == Tag::span &&
               next != html::no_node && tree_.is(next, Tag::div) && tree_[next].end == parent.end;
    }

    void text(std::string_view text) {
        if (text.empty()) return;
        if (text.front() == '\n') line_ended_ = false;
        end_line();
        for (std::size_t i = 0; i < text.size();) {
            const std::size_t start = i;
            while (i < text.size() && byte_class(text[i]) != ByteClass::lead && text[i] != '\r') ++i;
            out_ += text.substr(start, i - start);
            if (i == text.size()) return;
            const Invisible invisible = read_invisible(text, i);
            if (invisible.is_space && invisible.bytes == 2) out_ += ' ';  // a no-break space
            const bool kept =
                text[i] != '\r' && (invisible.bytes == 0 || (invisible.is_space && invisible.bytes > 2));
            if (kept) out_ += text[i];
            i += kept ? 1 : std::max<std::size_t>(invisible.bytes, 1);
        }
    }

    void end_line() {
        if (line_ended_ && out_.size() > begin_) out_ += '\n';
        line_ended_ = false;
    }

    const Tree& tree_;
    const Selection& selection_;
    std::string& out_;
    std::size_t begin_;
    std::optional<Attr> data_line_ = tree_.find_attribute_name("data-line");
    bool line_ended_ = false;
    bool has_markup_ = false;
};

// The last line ends without a newline; lines of spaces after the code are no part of it.
void trim_end(std::string& out, std::size_t begin) {
    const std::size_t last = out.find_last_not_of(" \t\n");
    if (last == std::string::npos || last < begin) {
        while (out.size() > begin && out.back() == '\n') out.pop_back();
        return;
    }
    const std::size_t newline = out.find('\n', last);
    if (newline != std::string::npos) out.resize(newline);
}

}  // namespace

bool append_code_text(const Tree& tree, const Selection& selection, NodeId id, std::string& out) {
    const std::size_t begin = out.size();
    CodeReader reader(tree, selection, out);
    reader.children(id);
    trim_end(out, begin);
    return reader.has_markup();
}

// Code blocks.

namespace {

std::size_t fence_length(std::string_view code) {
    std::size_t longest = 2;
    std::size_t run = 0;
    for (const char c : code) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest + 1;
}

// An editor in the page has buttons and labels around the code.
NodeId code_inside(const html::Tree& tree, NodeId id) {
    const NodeId end = std::min(tree[id].end, id + 80);
    for (NodeId inside = id + 1; inside < end; ++inside) {
        if (tree.is_element(inside) &&
            (tree.has_class(inside, "cm-content") || tree.has_class(inside, "CodeMirror-code")))
            return inside;
    }
    return id;
}

}  // namespace

void Writer::code_block(NodeId id) {
    leave_heading();
    block_edge();
    code_.clear();
    const bool has_markup = append_code_text(tree_, selection_, code_inside(tree_, id), code_);
    // Highlighters and editors leave empty boxes behind; an author's empty block stays.
    if (is_blank_text(code_) && has_markup) return;
    if (place_ == Place::cell) {
        code_in_cell();
        return;
    }
    const std::string fence(fence_length(code_), '`');
    begin_block(Block::code);
    out_.write(fence);
    out_.write(code_language(tree_, id));
    if (!code_.empty()) {
        out_.next_line();
        out_.write_lines(code_);
    }
    out_.next_line();
    out_.write(fence);
}

// In a table's cell every line is a code span.
void Writer::code_in_cell() {
    std::string_view rest = code_;
    while (!rest.empty()) {
        const std::size_t newline = std::min(rest.find('\n'), rest.size());
        run_.code(rest.substr(0, newline));
        block_edge();
        rest.remove_prefix(std::min(newline + 1, rest.size()));
    }
}

}  // namespace quarry::extract::markdown
