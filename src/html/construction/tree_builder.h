// The tree construction stage of the HTML standard: takes tokens, keeps the stack of open elements, and
// decides where each piece of the page goes. The method names are the standard's terms. Internal to html/.
//
// Its parts are in several files, one for each group of insertion modes: tree_builder_head.cc,
// tree_builder_body.cc and so on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "html/construction/build_tree.h"
#include "html/construction/formatting.h"
#include "html/construction/open_elements.h"
#include "html/parser.h"
#include "html/source_text.h"
#include "html/tokenizer.h"
#include "html/tree.h"

namespace quarry::html {

class TreeBuilder {
public:
    TreeBuilder(std::string source, const ParserOptions& options);

    Tree parse_document();
    Tree parse_fragment(const FragmentContext& context);

private:
    enum class Mode : std::uint8_t {
        initial,
        before_html,
        before_head,
        in_head,
        in_head_noscript,
        after_head,
        in_body,
        text,
        in_table,
        in_table_text,
        in_caption,
        in_column_group,
        in_table_body,
        in_row,
        in_cell,
        in_template,
        after_body,
        in_frameset,
        after_frameset,
        after_after_body,
        after_after_frameset,
    };
    // Whether a token was dealt with, or is to be looked at again under the mode just set.
    enum class Step : bool { done, again };

    // tree_builder.cc: the loop, and how tokens find their mode
    void run();
    void process(Token& token);
    Step dispatch(Token& token);
    Step dispatch_as_html(Token& token);
    Step text_mode(Token& token);
    bool is_foreign_content(const Token& token) const { return is_in_foreign() && is_read_as_foreign(token); }
    bool is_read_as_foreign(const Token& token) const;
    const OpenElement& adjusted_current() const;
    bool is_in_foreign() const {
        if (is_fragment_ && open_.size() == 1) [[unlikely]]
            return context_.space != Namespace::html;
        return !open_.is_current_html();
    }
    bool stop_at_limits(Token& token);
    bool is_harmless_at_limits(const Token& token) const;
    void start_tag_at_limits(const Token& token);
    bool is_too_deep() const {
        return open_.size() >= max_open_ || nodes_[open_.current().node].depth >= max_open_;
    }
    bool is_full() const { return nodes_.size() >= options_.limits.nodes; }
    TokenizerState state_for_context() const;
    Tree finish();

    // insertion.cc: making nodes and putting them in their place
    Place place_for(NodeId target) const;
    Place place_here() const { return place_for(open_.current().node); }
    Place foster_place() const;
    NodeId contents_of(NodeId node) const;
    NodeId create_element(const Token& token, Tag tag, Namespace space);
    NodeId insert_element(const Token& token);
    NodeId insert_element(Tag tag);
    void insert_void_element(const Token& token);
    void insert_foreign_element(Token& token, Namespace space);
    void insert_text(std::string_view text);
    void insert_comment(const Token& token) { insert_leaf(token, place_here()); }
    void insert_leaf(const Token& token, Place place);
    void insert_raw_text_element(const Token& token, TokenizerState state);
    void merge_attributes(const Token& token, NodeId element);
    std::string_view attribute(const Token& token, Attr name) const;
    std::string_view name_of(Tag tag) const;
    bool has_attribute(const Token& token, Attr name) const;

    // tree_builder_head.cc: from the doctype to the <body>
    Step initial(Token& token);
    Step before_html(Token& token);
    Step before_head(Token& token);
    Step in_head(Token& token);
    Step in_head_start_tag(Token& token);
    Step in_head_noscript(Token& token);
    Step after_head(Token& token);
    Step after_head_start_tag(Token& token);
    Step leave_head();
    void open_body();
    bool insert_leading_space(Token& token);

    // tree_builder_body.cc and tree_builder_body_end_tags.cc
    Step in_body(Token& token);
    Step in_body_start_tag(Token& token);
    Step in_body_end_tag(Token& token);
    Step in_body_end_of_file(Token& token);
    void in_body_text(std::string_view text);
    void start_html(const Token& token);
    void start_body(const Token& token);
    void start_frameset(const Token& token);
    void start_block(const Token& token);
    void start_heading(const Token& token);
    void start_preformatted(const Token& token);
    void start_form(const Token& token);
    void start_item(const Token& token);
    void start_button(const Token& token);
    void start_link(const Token& token);
    void start_formatting(const Token& token);
    void start_nobr(const Token& token);
    void start_marked(const Token& token);
    void start_table(const Token& token);
    void start_inline_void(const Token& token);
    void start_input(const Token& token);
    void start_rule(const Token& token);
    void start_textarea(const Token& token);
    void start_select(const Token& token);
    void start_option(const Token& token);
    void start_ruby_part(const Token& token);
    void start_ordinary(const Token& token);
    void start_foreign_root(Token& token, Namespace space);
    void end_block(Tag tag);
    void end_form();
    void end_paragraph();
    void end_item(Tag tag);
    void end_heading();
    void end_marked(Tag tag);
    void end_ordinary(Tag tag);
    Step end_body(Token& token);
    void close_paragraph();
    void close_paragraph_in_button_scope();
    void generate_implied_end_tags(Tag except = Tag::first_unlisted);
    void generate_implied_end_tags_thoroughly();

    // formatting.cc: misnested formatting
    void reconstruct_formatting();
    void push_formatting(NodeId node, const Token& token);
    NodeId clone_element(const FormattingElement& element);
    void adoption_agency(Tag subject);
    bool adopt_once(Tag subject);
    void adopt(const FormattingElement& element, OpenElements::Index at, OpenElements::Index block_at);
    void forget_formatting(NodeId node);

    // tree_builder_table.cc
    Step in_table(Token& token);
    Step in_table_start_tag(Token& token);
    Step in_table_end_tag(Token& token);
    Step in_table_anything_else(Token& token);
    Step in_table_text(Token& token);
    void flush_table_text();
    Step in_caption(Token& token);
    bool close_caption();
    Step in_column_group(Token& token);
    Step in_table_body(Token& token);
    Step leave_table_body();
    Step in_row(Token& token);
    Step in_row_end_tag(Token& token);
    bool close_row();
    Step in_cell(Token& token);
    Step in_cell_end_tag(Token& token);
    void close_cell();
    void clear_stack_to(TagSet stops);
    void reset_insertion_mode();
    Mode mode_for(Tag tag) const;

    // tree_builder_after.cc: templates, frames, and what follows the body
    Step in_template(Token& token);
    Step in_template_start_tag(Token& token);
    void start_template(const Token& token);
    void end_template();
    void leave_template();
    void open_unclosed_templates();
    Step after_body(Token& token);
    Step in_frameset(Token& token);
    Step after_frameset(Token& token);
    Step after_after_body(Token& token);
    Step after_after_frameset(Token& token);
    bool read_leading_space(Token& token);
    void insert_only_space(const Token& token);

    // foreign.cc: svg and math
    Step foreign(Token& token);
    Step foreign_start_tag(Token& token);
    Step foreign_end_tag(Token& token);
    bool breaks_out_of_foreign(const Token& token) const;
    void leave_foreign();
    void adjust_foreign_attributes(const Token& token, Namespace space);
    Tag adjusted_svg_tag(Tag tag);
    bool is_html_integration_point(const OpenElement& element, const Token& token) const;

    bool is_current(Tag tag) const { return open_.current().is(tag); }
    bool has_template() const { return open_.topmost(Tag::template_) != OpenElements::none; }

    ParserOptions options_;
    Tree tree_;
    SourceText& source_;
    Tokenizer tokenizer_;
    BuildTree nodes_;
    OpenElements open_;
    ActiveFormatting formatting_;
    Overflow overflow_;

    Mode mode_ = Mode::initial;
    Mode original_mode_ = Mode::initial;
    std::vector<Mode> template_modes_;
    std::vector<NodeId> unclosed_templates_;  // at the end of the page
    NodeId head_ = no_node;
    NodeId form_ = no_node;
    NodeId discarded_ = no_node;  // takes the raw text of elements that are over the limit of nodes
    bool is_fragment_ = false;
    OpenElement context_;  // of a fragment
    bool frameset_ok_ = true;
    bool foster_parenting_ = false;
    bool skip_line_feed_ = false;
    bool table_text_is_space_ = true;
    std::vector<std::string_view> table_text_;
    std::uint64_t clones_left_;
    std::uint64_t most_stack_work_;
    std::int32_t max_open_;
};

}  // namespace quarry::html
