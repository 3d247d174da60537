// "In body", second part: end tags.
#include "html/construction/tree_builder.h"

namespace quarry::html {

TreeBuilder::Step TreeBuilder::in_body_end_tag(Token& token) {
    using enum Tag;
    switch (token.tag) {
        case template_: end_template(); break;
        case body:
        case html: return end_body(token);
        case address:
        case article:
        case aside:
        case blockquote:
        case button:
        case center:
        case details:
        case dialog:
        case dir:
        case div:
        case dl:
        case fieldset:
        case figcaption:
        case figure:
        case footer:
        case header:
        case hgroup:
        case listing:
        case main:
        case menu:
        case nav:
        case ol:
        case pre:
        case search:
        case section:
        case select:
        case summary:
        case ul: end_block(token.tag); break;
        case form: end_form(); break;
        case p: end_paragraph(); break;
        case li:
        case dd:
        case dt: end_item(token.tag); break;
        case h1:
        case h2:
        case h3:
        case h4:
        case h5:
        case h6: end_heading(); break;
        case a:
        case b:
        case big:
        case code:
        case em:
        case font:
        case i:
        case nobr:
        case s:
        case small:
        case strike:
        case strong:
        case tt:
        case u: adoption_agency(token.tag); break;
        case applet:
        case marquee:
        case object: end_marked(token.tag); break;
        case br: {
            Token line_break;
            line_break.kind = TokenKind::start_tag;
            line_break.tag = br;
            start_inline_void(line_break);
            break;
        }
        default: end_ordinary(token.tag); break;
    }
    return Step::done;
}

TreeBuilder::Step TreeBuilder::end_body(Token& token) {
    if (!open_.has_in_scope(Tag::body)) return Step::done;
    mode_ = Mode::after_body;
    return token.tag == Tag::html ? Step::again : Step::done;
}

void TreeBuilder::end_block(Tag tag) {
    if (!open_.has_in_scope(tag)) return;
    generate_implied_end_tags();
    open_.pop_through(tag);
}

void TreeBuilder::end_form() {
    if (has_template()) {
        end_block(Tag::form);
        return;
    }
    const NodeId node = std::exchange(form_, no_node);
    if (node == no_node || !nodes_[node].is_open) return;
    // The form may be in scope without being the topmost one only in templates, which were dealt with.
    if (!open_.has_in_scope(Tag::form)) return;
    generate_implied_end_tags();
    open_.remove(open_.index_of(node));
}

void TreeBuilder::end_paragraph() {
    if (!open_.has_in_button_scope(Tag::p)) insert_element(Tag::p);
    close_paragraph();
}

void TreeBuilder::end_item(Tag tag) {
    const bool in_scope = tag == Tag::li ? open_.has_in_list_scope(tag) : open_.has_in_scope(tag);
    if (!in_scope) return;
    generate_implied_end_tags(tag);
    open_.pop_through(tag);
}

void TreeBuilder::end_heading() {
    if (!open_.has_heading_in_scope()) return;
    generate_implied_end_tags();
    bool was_heading = false;
    while (!was_heading) {
        was_heading = (open_.current().classes() & heading) != 0;
        open_.pop();
    }
}

void TreeBuilder::end_marked(Tag tag) {
    if (!open_.has_in_scope(tag)) return;
    generate_implied_end_tags();
    open_.pop_through(tag);
    formatting_.clear_to_marker();
}

void TreeBuilder::end_ordinary(Tag tag) {
    if (!open_.has_above_special(tag)) return;
    generate_implied_end_tags(tag);
    open_.pop_through(tag);
}

void TreeBuilder::close_paragraph() {
    generate_implied_end_tags(Tag::p);
    open_.pop_through(Tag::p);
}

void TreeBuilder::close_paragraph_in_button_scope() {
    if (open_.has_in_button_scope(Tag::p)) close_paragraph();
}

void TreeBuilder::generate_implied_end_tags(Tag except) {
    while ((open_.current().classes() & closes_implied) != 0 && !is_current(except)) open_.pop();
}

void TreeBuilder::generate_implied_end_tags_thoroughly() {
    while ((open_.current().classes() & closes_implied_thoroughly) != 0) open_.pop();
}

}  // namespace quarry::html
