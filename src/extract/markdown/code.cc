#include "extract/markdown/markdown_code_language.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ascii.h"
#include "extract/markdown/classes.h"

namespace quarry::extract::markdown {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

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

}  // namespace quarry::extract::markdown
