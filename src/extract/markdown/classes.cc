#include "extract/markdown/classes.h"

#include <array>
#include <cstddef>

namespace quarry::extract::markdown {

namespace {

struct Entry {
    std::string_view name;
    std::uint32_t traits;
};

using enum ClassTrait;

template <typename... Names>
constexpr auto entries(ClassTrait trait, Names... names) {
    return std::array<Entry, sizeof...(Names)>{Entry{names, static_cast<std::uint32_t>(trait)}...};
}

// Sphinx, MkDocs, Docusaurus, GitHub, VitePress, Starlight, MDN, Obsidian, Asciidoctor, Bootstrap, Hugo.
constexpr auto admonitions =
    entries(admonition, "admonition", "admonitionblock", "markdown-alert", "theme-admonition", "custom-block",
            "starlight-aside", "notecard", "callout", "alert", "infobox-note", "callout-box", "bs-callout");
constexpr auto admonition_titles =
    entries(admonition_title, "admonition-title", "markdown-alert-title", "custom-block-title",
            "starlight-aside__title", "callout-title", "alert-heading", "alert-title", "admonition-heading",
            "callout-heading");
constexpr auto code_boxes =
    entries(code_box, "syntaxhighlighter", "CodeMirror", "cm-editor", "cm-content", "ace_editor",
            "crayon-syntax", "enlighter-default", "monaco-editor", "js-file-line-container");
constexpr auto numbers =
    entries(line_numbers, "lineno", "linenos", "linenodiv", "linenumber", "linenumbers", "line-number",
            "line-numbers-rows", "lnt", "lnum", "ln-num", "gutter", "rouge-gutter", "gl", "hljs-ln-numbers",
            "hljs-ln-n", "blob-num", "react-syntax-highlighter-line-number", "CodeMirror-linenumber",
            "CodeMirror-gutter", "CodeMirror-gutters", "CodeMirror-gutter-wrapper", "CodeMirror-measure",
            "CodeMirror-cursors", "cm-gutters", "cm-announced", "cm-cursorLayer", "cm-selectionLayer",
            "crayon-nums", "crayon-num", "ace_gutter", "margin-view-overlays", "line-numbers-wrapper",
            "code-line-number", "codeLineNumber", "token-line-number", "lines-number", "rowno", "toolbar",
            "code-toolbar-buttons", "code-block__toolbar", "lineNumber", "line_number", "LineNumber");
constexpr auto code_lines =
    entries(code_line, "line", "code-line", "cm-line", "CodeMirror-line", "view-line", "ace_line", "ec-line",
            "token-line", "react-code-line", "crayon-line", "blob-code");
constexpr auto katex_entries = entries(katex, "katex");
constexpr auto katex_displays = entries(katex_display, "katex-display");
constexpr auto math_pictures =
    entries(math_picture, "katex-html", "MathJax", "MathJax_Display", "MathJax_Preview", "MathJax_SVG",
            "MathJax_SVG_Display", "MathJax_CHTML", "MJXc-display", "mjx-chtml", "mwe-math-element");
constexpr auto math_sources =
    entries(math_source, "math", "arithmatex", "tex2jax_process", "math-tex", "mathjax");
constexpr auto tab_label_rows = entries(tab_labels, "tabbed-labels");
constexpr auto single_tab_labels = entries(tab_label, "sd-tab-label", "tab-label");
constexpr auto tab_panels = entries(tab_panel, "tabbed-block");
constexpr auto anchors =
    entries(heading_anchor, "headerlink", "header-link", "anchor", "anchorjs-link", "hash-link",
            "header-anchor", "heading-anchor", "permalink", "heading-link", "direct-link", "anchor-link",
            "anchorlink", "heading-permalink", "sl-anchor-link", "self-link", "hanchor", "headinglink",
            "zola-anchor", "td-heading-self-link", "subheading-anchor", "section-link", "octicon-link",
            "sectionlink", "mw-editsection");
constexpr auto copy_buttons =
    entries(copy_button, "copybtn", "copy-btn", "copy-button", "copy", "btn-copy", "clipboard-copy",
            "copy-code-button", "copy-to-clipboard-button", "code-copy", "copy-code", "rehype-pretty-copy",
            "zeroclipboard-container", "md-clipboard", "clipboard-button", "btn-clipboard", "copyBtn",
            "copy-to-clipboard", "code-copy-btn");
constexpr auto footnote_lists = entries(
    footnotes, "footnotes", "footnote-list", "footnote", "footnote-definition", "endnotes", "references",
    "footnotes-list", "footnote-definitions", "easy-footnotes-wrapper", "reflist", "footdef");
constexpr auto footnote_backs =
    entries(footnote_back, "footnote-backref", "footnote-back", "fn-backref", "reversefootnote",
            "footnote-return", "data-footnote-backref", "mw-cite-backlink", "easy-footnote-to-top",
            "backrefs", "footnoteBackLink", "footnote-backlink", "footnote_backlink");
constexpr auto source_links = entries(source_link, "viewcode-link", "viewcode-block", "sourcelink");
constexpr auto signatures = entries(signature, "sig");

// A hash table made by the compiler: pages have tens of thousands of class names, nearly all of them unknown
// here.
class Table {
public:
    template <typename... Lists>
    consteval explicit Table(const Lists&... lists) {
        (add_all(lists), ...);
    }
    std::uint32_t find(std::string_view name) const {
        for (std::size_t slot = hash(name);; slot = (slot + 1) % slots) {
            if (entries_[slot].name.empty()) return 0;
            if (entries_[slot].name == name) return entries_[slot].traits;
        }
    }

private:
    static constexpr std::size_t slots = 1024;

    static constexpr std::size_t hash(std::string_view name) {
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(name[i]); };
        const std::size_t mixed =
            name.size() * 131 + byte(0) * 31U + byte(name.size() - 1) * 7U + byte(name.size() / 2) * 61U;
        return (mixed ^ (mixed >> 7)) % slots;
    }
    template <typename List>
    constexpr void add_all(const List& list) {
        for (const Entry& entry : list) {
            std::size_t slot = hash(entry.name);
            while (!entries_[slot].name.empty()) slot = (slot + 1) % slots;
            entries_[slot] = entry;
        }
    }
    std::array<Entry, slots> entries_{};
};

constexpr Table table(admonitions, admonition_titles, code_boxes, numbers, code_lines, katex_entries,
                      katex_displays, math_pictures, math_sources, tab_label_rows, single_tab_labels,
                      tab_panels, anchors, copy_buttons, footnote_lists, footnote_backs, source_links,
                      signatures);

}  // namespace

ClassTraits class_traits(std::string_view class_attribute) {
    ClassTraits traits;
    any_class(class_attribute, [&](std::string_view name) {
        traits.add(table.find(name));
        return false;
    });
    return traits;
}

}  // namespace quarry::extract::markdown
