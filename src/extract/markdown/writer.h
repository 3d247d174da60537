// Walks the selected nodes of a tree and writes them as markdown. One pass, recursive as the tree is (which
// is at most 512 deep); inline content collects in a run, blocks are laid out as they end.
//
// The class is one, its parts are in a file each: markdown_writer.cc dispatches, markdown_inline.cc,
// markdown_link.cc, markdown_list.cc, markdown_table.cc, markdown_code.cc, markdown_callout.cc,
// markdown_tabs.cc, markdown_footnote.cc and markdown_math.cc write what their names say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extract/markdown/blocks.h"
#include "extract/markdown/classes.h"
#include "extract/markdown/footnotes.h"
#include "extract/markdown/inline_run.h"
#include "extract/markdown/markdown.h"
#include "extract/markdown/survey.h"
#include "extract/markdown/tables.h"
#include "extract/selection.h"
#include "html/tree.h"

namespace quarry::extract::markdown {

class Writer {
public:
    Writer(const html::Tree& tree, const Selection& selection, const MarkdownOptions& options);

    std::string write();

private:
    using NodeId = html::NodeId;
    using Tag = html::Tag;

    // What the content being written goes into. Only `blocks` may hold blocks; in the others a block's edge
    // becomes a space or a line break.
    enum class Place : std::uint8_t { blocks, heading, cell };

    // markdown_writer.cc
    void children(NodeId id);
    void node(NodeId id);
    void text(NodeId id);
    void element(NodeId id);
    void html_element(NodeId id);
    bool element_with_meaning(NodeId id);
    bool element_of_class(NodeId id, ClassTraits traits);
    bool element_of_role(NodeId id, std::string_view role);
    void drawing(html::NodeId svg);
    bool swallows_page(html::NodeId id) const;
    void unlisted_element(NodeId id);
    void block(NodeId id);
    void block_edge();
    void end_paragraph();
    void begin_block(Block kind);
    void write_paragraph(std::string_view lines);
    void heading(NodeId id, int level);
    void leave_heading();
    void write_heading();
    void rule(NodeId id);
    void quote(NodeId id);
    void formatted_block(NodeId id, Format format);
    bool has_no_content(NodeId id) const;

    // markdown_inline.cc
    bool inline_element(NodeId id);
    void formatted(NodeId id, Format format);
    void inline_code(NodeId id);
    void quotation(NodeId id);
    void ruby_text(NodeId id);
    void line_break();
    void button(NodeId id);
    void input(NodeId id);

    // markdown_link.cc
    void anchor(NodeId id);
    void image(NodeId id);
    void media(NodeId id);
    void frame(NodeId id, html::Attr source);
    bool resolve(std::string_view reference, std::string& destination);
    void linked_name(std::string_view destination);

    // markdown_list.cc
    void list(NodeId id);
    void list_items(NodeId parent, List& list, NodeId& open_item);
    void item(NodeId id, List& list, NodeId& open_item);
    void close_item(List& list, NodeId& open_item);
    void stray_item(NodeId id);
    void list_in_cell(NodeId id);
    void term(NodeId id);
    void definition(NodeId id);

    // markdown_table.cc
    void table(NodeId id);
    void data_table(NodeId id);
    bool append_rows(const TableRows& rows, std::string& lines);
    void table_cell(NodeId id, std::string& row);
    void table_in_cell(NodeId id);

    // markdown_code.cc
    void code_block(NodeId id);
    void code_in_cell();

    // markdown_callout.cc
    bool admonition(NodeId id);

    // markdown_tabs.cc
    bool tab_labels(NodeId id);
    bool tab_panel(NodeId id);

    // markdown_footnote.cc
    bool footnote_reference(NodeId id);
    void superscript(NodeId id);
    void footnote(NodeId id, const Footnote& note);

    // markdown_math.cc
    bool formula(NodeId id, ClassTraits traits);
    void math_element(NodeId id);
    void mathjax_element(NodeId id);
    bool math_script(NodeId id);
    bool formula_image(NodeId id);
    void text_with_formulas(std::string_view text);
    void write_formula(std::string_view tex, bool display);

    const html::Tree& tree_;
    const Selection& selection_;
    const MarkdownOptions& options_;
    Survey survey_;
    Footnotes footnotes_;
    InlineRun run_;
    BlockOutput out_;
    List stray_list_;                     // for <li> outside of lists
    std::string line_;                    // a finished run
    std::string scratch_;                 // a destination or an image being put together
    std::string code_;                    // a code block's text
    std::uint64_t expansion_budget_ = 0;  // how much longer than written destinations may still get
    NodeId skipped_ = html::no_node;      // a title that has been written already
    NodeId heading_ = html::no_node;      // the heading being written
    std::size_t heading_level_ = 1;
    Place place_ = Place::blocks;
    char task_ = '\0';  // of the item being begun: ' ' or 'x'
    bool in_code_ = false;
    bool in_item_ = false;
    bool in_term_ = false;
    bool definition_begins_ = false;
    bool after_signature_ = false;
};

}  // namespace quarry::extract::markdown
