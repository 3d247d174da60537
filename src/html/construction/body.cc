// "In body": the insertion mode in which almost all of a page is read. Text and start tags are here.
#include "html/characters.h"
#include "html/construction/tree_builder.h"

namespace quarry::html {

TreeBuilder::Step TreeBuilder::in_body(Token& token) {
    switch (token.kind) {
        case TokenKind::characters: in_body_text(token.text); return Step::done;
        case TokenKind::start_tag: return in_body_start_tag(token);
        case TokenKind::end_tag: return in_body_end_tag(token);
        case TokenKind::comment:
        case TokenKind::processing_instruction: insert_comment(token); return Step::done;
        case TokenKind::end_of_file: return in_body_end_of_file(token);
        case TokenKind::doctype:
        case TokenKind::null_characters: return Step::done;
    }
    return Step::done;
}

void TreeBuilder::in_body_text(std::string_view text) {
    reconstruct_formatting();
    insert_text(text);
    if (frameset_ok_ && !is_all_space(text)) frameset_ok_ = false;
}

TreeBuilder::Step TreeBuilder::in_body_end_of_file(Token& token) {
    return template_modes_.empty() ? Step::done : in_template(token);
}

TreeBuilder::Step TreeBuilder::in_body_start_tag(Token& token) {
    using enum Tag;
    switch (token.tag) {
        case html: start_html(token); break;
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
        case body: start_body(token); break;
        case frameset: start_frameset(token); break;
        case address:
        case article:
        case aside:
        case blockquote:
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
        case main:
        case menu:
        case nav:
        case ol:
        case p:
        case search:
        case section:
        case summary:
        case ul: start_block(token); break;
        case h1:
        case h2:
        case h3:
        case h4:
        case h5:
        case h6: start_heading(token); break;
        case pre:
        case listing: start_preformatted(token); break;
        case form: start_form(token); break;
        case li:
        case dd:
        case dt: start_item(token); break;
        case plaintext:
            start_block(token);
            tokenizer_.set_state(TokenizerState::plaintext, {});
            break;
        case button: start_button(token); break;
        case a: start_link(token); break;
        case b:
        case big:
        case code:
        case em:
        case font:
        case i:
        case s:
        case small:
        case strike:
        case strong:
        case tt:
        case u: start_formatting(token); break;
        case nobr: start_nobr(token); break;
        case applet:
        case marquee:
        case object: start_marked(token); break;
        case table: start_table(token); break;
        case area:
        case br:
        case embed:
        case img:
        case keygen:
        case wbr: start_inline_void(token); break;
        case input: start_input(token); break;
        case param:
        case source:
        case track: insert_void_element(token); break;
        case hr: start_rule(token); break;
        case image:
            // "Don't ask", says the standard.
            token.tag = img;
            start_inline_void(token);
            break;
        case textarea: start_textarea(token); break;
        case xmp:
            close_paragraph_in_button_scope();
            reconstruct_formatting();
            frameset_ok_ = false;
            insert_raw_text_element(token, TokenizerState::rawtext);
            break;
        case iframe: frameset_ok_ = false; [[fallthrough]];
        case noembed: insert_raw_text_element(token, TokenizerState::rawtext); break;
        case noscript:
            if (options_.scripting == Scripting::on) {
                insert_raw_text_element(token, TokenizerState::rawtext);
            } else {
                start_ordinary(token);
            }
            break;
        case select: start_select(token); break;
        case optgroup:
        case option: start_option(token); break;
        case rb:
        case rp:
        case rt:
        case rtc: start_ruby_part(token); break;
        case math: start_foreign_root(token, Namespace::mathml); break;
        case svg: start_foreign_root(token, Namespace::svg); break;
        case caption:
        case col:
        case colgroup:
        case frame:
        case head:
        case tbody:
        case td:
        case tfoot:
        case th:
        case thead:
        case tr: break;
        default: start_ordinary(token); break;
    }
    return Step::done;
}

void TreeBuilder::start_html(const Token& token) {
    if (!has_template()) merge_attributes(token, open_[0].node);
}

void TreeBuilder::start_body(const Token& token) {
    if (open_.size() < 2 || !open_[1].is(Tag::body) || has_template()) return;
    frameset_ok_ = false;
    merge_attributes(token, open_[1].node);
}

void TreeBuilder::start_frameset(const Token& token) {
    if (open_.size() < 2 || !open_[1].is(Tag::body) || !frameset_ok_) return;
    nodes_.detach(open_[1].node);
    open_.pop_to(1);
    insert_element(token);
    mode_ = Mode::in_frameset;
}

void TreeBuilder::start_block(const Token& token) {
    close_paragraph_in_button_scope();
    insert_element(token);
}

void TreeBuilder::start_heading(const Token& token) {
    close_paragraph_in_button_scope();
    if ((open_.current().classes() & heading) != 0) open_.pop();
    insert_element(token);
}

void TreeBuilder::start_preformatted(const Token& token) {
    start_block(token);
    skip_line_feed_ = true;
    frameset_ok_ = false;
}

void TreeBuilder::start_form(const Token& token) {
    if (form_ != no_node && !has_template()) return;
    close_paragraph_in_button_scope();
    const NodeId node = insert_element(token);
    if (!has_template()) form_ = node;
}

// An item ends the item before it: <li> an <li>, <dd> and <dt> either of them.
void TreeBuilder::start_item(const Token& token) {
    using enum Tag;
    frameset_ok_ = false;
    const auto ends = [this](Tag tag) {
        if (!open_.has_above_item_stop(tag)) return false;
        generate_implied_end_tags(tag);
        open_.pop_through(tag);
        return true;
    };
    if (token.tag == li) {
        ends(li);
    } else if (!ends(dd)) {
        ends(dt);
    }
    start_block(token);
}

void TreeBuilder::start_button(const Token& token) {
    if (open_.has_in_scope(Tag::button)) {
        generate_implied_end_tags();
        open_.pop_through(Tag::button);
    }
    reconstruct_formatting();
    insert_element(token);
    frameset_ok_ = false;
}

void TreeBuilder::start_link(const Token& token) {
    if (const std::size_t open_link = formatting_.find_last(Tag::a); open_link != ActiveFormatting::none) {
        const NodeId node = formatting_[open_link].node;
        adoption_agency(Tag::a);
        forget_formatting(node);
    }
    start_formatting(token);
}

void TreeBuilder::start_formatting(const Token& token) {
    reconstruct_formatting();
    push_formatting(insert_element(token), token);
}

void TreeBuilder::start_nobr(const Token& token) {
    reconstruct_formatting();
    if (open_.has_in_scope(Tag::nobr)) adoption_agency(Tag::nobr);
    start_formatting(token);
}

void TreeBuilder::start_marked(const Token& token) {
    reconstruct_formatting();
    insert_element(token);
    formatting_.push_marker();
    frameset_ok_ = false;
}

void TreeBuilder::start_table(const Token& token) {
    if (tree_.quirks_ != Quirks::full) close_paragraph_in_button_scope();
    insert_element(token);
    frameset_ok_ = false;
    mode_ = Mode::in_table;
}

void TreeBuilder::start_inline_void(const Token& token) {
    reconstruct_formatting();
    insert_void_element(token);
    frameset_ok_ = false;
}

void TreeBuilder::start_input(const Token& token) {
    if (is_fragment_ && context_.is(Tag::select)) return;
    if (open_.has_in_scope(Tag::select)) open_.pop_through(Tag::select);
    reconstruct_formatting();
    insert_void_element(token);
    if (!equals_ignore_case(attribute(token, Attr::type), "hidden")) frameset_ok_ = false;
}

void TreeBuilder::start_rule(const Token& token) {
    close_paragraph_in_button_scope();
    if (open_.has_in_scope(Tag::select)) generate_implied_end_tags();
    insert_void_element(token);
    frameset_ok_ = false;
}

void TreeBuilder::start_textarea(const Token& token) {
    insert_raw_text_element(token, TokenizerState::rcdata);
    skip_line_feed_ = true;
    frameset_ok_ = false;
}

void TreeBuilder::start_select(const Token& token) {
    if (is_fragment_ && context_.is(Tag::select)) return;
    if (open_.has_in_scope(Tag::select)) {
        open_.pop_through(Tag::select);
        return;
    }
    reconstruct_formatting();
    insert_element(token);
    frameset_ok_ = false;
}

void TreeBuilder::start_option(const Token& token) {
    if (open_.has_in_scope(Tag::select)) {
        generate_implied_end_tags(token.tag == Tag::option ? Tag::optgroup : Tag::first_unlisted);
    } else if (is_current(Tag::option)) {
        open_.pop();
    }
    reconstruct_formatting();
    insert_element(token);
}

void TreeBuilder::start_ruby_part(const Token& token) {
    using enum Tag;
    const bool is_text = token.tag == rp || token.tag == rt;
    if (open_.has_in_scope(ruby)) generate_implied_end_tags(is_text ? rtc : first_unlisted);
    insert_element(token);
}

void TreeBuilder::start_ordinary(const Token& token) {
    reconstruct_formatting();
    insert_element(token);
}

void TreeBuilder::start_foreign_root(Token& token, Namespace space) {
    reconstruct_formatting();
    insert_foreign_element(token, space);
}

// "In body", second part: end tags.

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
