// The insertion modes of templates and frames, and of what follows the body.
#include "html/characters.h"
#include "html/construction/tree_builder.h"

namespace quarry::html {

void TreeBuilder::start_template(const Token& token) {
    const NodeId node = insert_element(token);
    BuildNode contents;
    contents.kind = NodeKind::template_contents;
    nodes_.append(node, nodes_.add(contents));
    formatting_.push_marker();
    frameset_ok_ = false;
    mode_ = Mode::in_template;
    template_modes_.push_back(mode_);
}

void TreeBuilder::end_template() {
    if (!has_template()) return;
    generate_implied_end_tags_thoroughly();
    leave_template();
}

void TreeBuilder::leave_template() {
    open_.pop_through(Tag::template_);
    formatting_.clear_to_marker();
    template_modes_.pop_back();
    reset_insertion_mode();
}

// Templates nested past the limit of depth and never closed are an attack that would make the rest of the
// page inert. They become plain elements, so that its text still comes out. Elsewhere the standard is kept
// to.
void TreeBuilder::open_unclosed_templates() {
    if (!tree_.limits_hit_.depth) return;
    for (const NodeId node : unclosed_templates_) {
        const NodeId contents = nodes_[node].first;
        nodes_.detach(contents);
        nodes_.move_children(contents, node);
        nodes_[node].tag = Tag::div;
    }
}

TreeBuilder::Step TreeBuilder::in_template(Token& token) {
    switch (token.kind) {
        case TokenKind::start_tag: return in_template_start_tag(token);
        case TokenKind::end_tag:
            if (token.tag == Tag::template_) end_template();
            return Step::done;
        case TokenKind::end_of_file:
            if (!has_template()) return Step::done;
            unclosed_templates_.push_back(open_[open_.topmost(Tag::template_)].node);
            leave_template();
            return Step::again;
        default: return in_body(token);
    }
}

TreeBuilder::Step TreeBuilder::in_template_start_tag(Token& token) {
    using enum Tag;
    Mode mode = Mode::in_body;
    switch (token.tag) {
        case base:
        case basefont:
        case bgsound:
        case link:
        case meta:
        case noframes:
        case script:
        case style:
        case template_:
        case title: return in_head_start_tag(token);
        case caption:
        case colgroup:
        case tbody:
        case tfoot:
        case thead: mode = Mode::in_table; break;
        case col: mode = Mode::in_column_group; break;
        case tr: mode = Mode::in_table_body; break;
        case td:
        case th: mode = Mode::in_row; break;
        default: break;
    }
    template_modes_.back() = mode;
    mode_ = mode;
    return Step::again;
}

// Reads the white space a text begins with as part of the body. True if nothing is left.
bool TreeBuilder::read_leading_space(Token& token) {
    if (token.kind != TokenKind::characters) return false;
    const std::size_t space = leading_space(token.text);
    if (space > 0) in_body_text(token.text.substr(0, space));
    token.text.remove_prefix(space);
    return token.text.empty();
}

TreeBuilder::Step TreeBuilder::after_body(Token& token) {
    if (read_leading_space(token)) return Step::done;
    if (token.is_leaf()) {
        insert_leaf(token, {open_[0].node});
        return Step::done;
    }
    if (token.kind == TokenKind::doctype || token.kind == TokenKind::end_of_file) return in_body(token);
    if (token.is_start(Tag::html)) return in_body(token);
    if (token.is_end(Tag::html)) {
        if (!is_fragment_) mode_ = Mode::after_after_body;
        return Step::done;
    }
    mode_ = Mode::in_body;
    return Step::again;
}

TreeBuilder::Step TreeBuilder::after_after_body(Token& token) {
    if (token.is_leaf()) {
        insert_leaf(token, {document_node});
        return Step::done;
    }
    if (token.kind == TokenKind::doctype || token.is_start(Tag::html)) return in_body(token);
    if (token.kind == TokenKind::end_of_file) return in_body(token);
    if (read_leading_space(token)) return Step::done;
    mode_ = Mode::in_body;
    return Step::again;
}

void TreeBuilder::insert_only_space(const Token& token) {
    for (std::string_view rest = token.text; !rest.empty();) {
        const std::size_t space = leading_space(rest);
        insert_text(rest.substr(0, space));
        rest.remove_prefix(space);
        while (!rest.empty() && !is_space(rest.front())) rest.remove_prefix(1);
    }
}

TreeBuilder::Step TreeBuilder::in_frameset(Token& token) {
    using enum Tag;
    if (token.kind == TokenKind::characters) insert_only_space(token);
    if (token.is_leaf()) insert_comment(token);
    if (token.kind == TokenKind::start_tag) {
        if (token.tag == html) return in_body(token);
        if (token.tag == frameset) insert_element(token);
        if (token.tag == frame) insert_void_element(token);
        if (token.tag == noframes) return in_head_start_tag(token);
    }
    if (token.is_end(frameset) && open_.size() > 1) {
        open_.pop();
        if (!is_fragment_ && !is_current(frameset)) mode_ = Mode::after_frameset;
    }
    return Step::done;
}

TreeBuilder::Step TreeBuilder::after_frameset(Token& token) {
    if (token.kind == TokenKind::characters) insert_only_space(token);
    if (token.is_leaf()) insert_comment(token);
    if (token.is_start(Tag::html)) return in_body(token);
    if (token.is_start(Tag::noframes)) return in_head_start_tag(token);
    if (token.is_end(Tag::html)) mode_ = Mode::after_after_frameset;
    return Step::done;
}

TreeBuilder::Step TreeBuilder::after_after_frameset(Token& token) {
    if (token.is_leaf()) insert_leaf(token, {document_node});
    if (token.kind == TokenKind::characters) insert_only_space(token);
    if (token.is_start(Tag::html)) return in_body(token);
    if (token.is_start(Tag::noframes)) return in_head_start_tag(token);
    return Step::done;
}

}  // namespace quarry::html
