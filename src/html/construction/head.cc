// Which doctypes put a page into quirks mode. It matters to one thing here: whether a <table> ends a
// paragraph.
#include <algorithm>

#include "base/ascii.h"
#include "html/characters.h"
#include "html/construction/tree_builder.h"
#include "html/tokenizer.h"
#include "html/tree.h"

namespace quarry::html {

Quirks quirks_of(const Doctype& doctype);

namespace {

constexpr std::string_view quirky_prefixes[] = {
    "+//silmaril//dtd html pro v0r11 19970101//",
    "-//as//dtd html 3.0 aswedit + extensions//",
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
    "-//ietf//dtd html 2.0 level 1//",
    "-//ietf//dtd html 2.0 level 2//",
    "-//ietf//dtd html 2.0 strict level 1//",
    "-//ietf//dtd html 2.0 strict level 2//",
    "-//ietf//dtd html 2.0 strict//",
    "-//ietf//dtd html 2.0//",
    "-//ietf//dtd html 2.1e//",
    "-//ietf//dtd html 3.0//",
    "-//ietf//dtd html 3.2 final//",
    "-//ietf//dtd html 3.2//",
    "-//ietf//dtd html 3//",
    "-//ietf//dtd html level 0//",
    "-//ietf//dtd html level 1//",
    "-//ietf//dtd html level 2//",
    "-//ietf//dtd html level 3//",
    "-//ietf//dtd html strict level 0//",
    "-//ietf//dtd html strict level 1//",
    "-//ietf//dtd html strict level 2//",
    "-//ietf//dtd html strict level 3//",
    "-//ietf//dtd html strict//",
    "-//ietf//dtd html//",
    "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer 2.0 html strict//",
    "-//microsoft//dtd internet explorer 2.0 html//",
    "-//microsoft//dtd internet explorer 2.0 tables//",
    "-//microsoft//dtd internet explorer 3.0 html strict//",
    "-//microsoft//dtd internet explorer 3.0 html//",
    "-//microsoft//dtd internet explorer 3.0 tables//",
    "-//netscape comm. corp.//dtd html//",
    "-//netscape comm. corp.//dtd strict html//",
    "-//o'reilly and associates//dtd html 2.0//",
    "-//o'reilly and associates//dtd html extended 1.0//",
    "-//o'reilly and associates//dtd html extended relaxed 1.0//",
    "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
    "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
    "-//spyglass//dtd html 2.0 extended//",
    "-//sun microsystems corp.//dtd hotjava html//",
    "-//sun microsystems corp.//dtd hotjava strict html//",
    "-//w3c//dtd html 3 1995-03-24//",
    "-//w3c//dtd html 3.2 draft//",
    "-//w3c//dtd html 3.2 final//",
    "-//w3c//dtd html 3.2//",
    "-//w3c//dtd html 3.2s draft//",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html experimental 19960712//",
    "-//w3c//dtd html experimental 970421//",
    "-//w3c//dtd w3 html//",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//dtd mozilla html 2.0//",
    "-//webtechs//dtd mozilla html//",
};

}  // namespace

Quirks quirks_of(const Doctype& doctype) {
    const std::string_view public_id = doctype.public_id.value_or("");
    const std::string_view system_id = doctype.system_id.value_or("");
    const auto is_public = [&](std::string_view lower) { return equals_ignore_case(public_id, lower); };
    const auto begins = [&](std::string_view lower) { return starts_with_ignore_case(public_id, lower); };
    const bool is_html_401 =
        begins("-//w3c//dtd html 4.01 frameset//") || begins("-//w3c//dtd html 4.01 transitional//");
    if (doctype.force_quirks || doctype.name != "html" || is_public("-//w3o//dtd w3 html strict 3.0//en//") ||
        is_public("-/w3c/dtd html 4.0 transitional/en") || is_public("html") ||
        equals_ignore_case(system_id, "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd") ||
        std::ranges::any_of(quirky_prefixes, begins) || (is_html_401 && !doctype.system_id)) {
        return Quirks::full;
    }
    const bool is_xhtml =
        begins("-//w3c//dtd xhtml 1.0 frameset//") || begins("-//w3c//dtd xhtml 1.0 transitional//");
    return is_xhtml || is_html_401 ? Quirks::limited : Quirks::none;
}

// The insertion modes from the start of a page to its <body>.

namespace {

// Drops the white space a text begins with. True if nothing is left.
bool skip_leading_space(Token& token) {
    if (token.kind != TokenKind::characters) return false;
    token.text.remove_prefix(leading_space(token.text));
    return token.text.empty();
}

// Of the end tags that come too early only these open the element that is missing.
bool is_stray_end_tag(const Token& token) {
    using enum Tag;
    return token.kind == TokenKind::end_tag && !TagSet(head, body, html, br).contains(token.tag);
}

}  // namespace

TreeBuilder::Step TreeBuilder::initial(Token& token) {
    if (skip_leading_space(token)) return Step::done;
    if (token.is_leaf()) {
        insert_leaf(token, {document_node});
        return Step::done;
    }
    mode_ = Mode::before_html;
    if (token.kind != TokenKind::doctype) {
        tree_.quirks_ = Quirks::full;
        return Step::again;
    }
    const Doctype& doctype = tokenizer_.doctype();
    BuildNode node;
    node.kind = NodeKind::doctype;
    node.text_data = token.text.data();
    node.text_size = static_cast<std::uint32_t>(token.text.size());
    nodes_.append(document_node, nodes_.add(node));
    tree_.public_id_ = doctype.public_id.value_or(std::string_view{});
    tree_.system_id_ = doctype.system_id.value_or(std::string_view{});
    tree_.quirks_ = quirks_of(doctype);
    return Step::done;
}

TreeBuilder::Step TreeBuilder::before_html(Token& token) {
    if (token.kind == TokenKind::doctype || skip_leading_space(token) || is_stray_end_tag(token)) {
        return Step::done;
    }
    if (token.is_leaf()) {
        insert_leaf(token, {document_node});
        return Step::done;
    }
    mode_ = Mode::before_head;
    if (token.is_start(Tag::html)) {
        insert_element(token);
        return Step::done;
    }
    insert_element(Tag::html);
    return Step::again;
}

TreeBuilder::Step TreeBuilder::before_head(Token& token) {
    if (token.kind == TokenKind::doctype || skip_leading_space(token) || is_stray_end_tag(token)) {
        return Step::done;
    }
    if (token.is_leaf()) {
        insert_comment(token);
        return Step::done;
    }
    if (token.is_start(Tag::html)) return in_body(token);
    mode_ = Mode::in_head;
    if (token.is_start(Tag::head)) {
        head_ = insert_element(token);
        return Step::done;
    }
    head_ = insert_element(Tag::head);
    return Step::again;
}

// Inserts the white space a text begins with. True if nothing is left.
bool TreeBuilder::insert_leading_space(Token& token) {
    if (token.kind != TokenKind::characters) return false;
    const std::size_t space = leading_space(token.text);
    insert_text(token.text.substr(0, space));
    token.text.remove_prefix(space);
    return token.text.empty();
}

TreeBuilder::Step TreeBuilder::leave_head() {
    open_.pop();
    mode_ = Mode::after_head;
    return Step::again;
}

TreeBuilder::Step TreeBuilder::in_head(Token& token) {
    if (insert_leading_space(token)) return Step::done;
    switch (token.kind) {
        case TokenKind::comment:
        case TokenKind::processing_instruction: insert_comment(token); return Step::done;
        case TokenKind::doctype: return Step::done;
        case TokenKind::start_tag: return in_head_start_tag(token);
        case TokenKind::end_tag:
            if (token.tag == Tag::head) {
                open_.pop();
                mode_ = Mode::after_head;
                return Step::done;
            }
            if (token.tag == Tag::template_) {
                end_template();
                return Step::done;
            }
            return is_stray_end_tag(token) ? Step::done : leave_head();
        default: return leave_head();
    }
}

TreeBuilder::Step TreeBuilder::in_head_start_tag(Token& token) {
    using enum Tag;
    switch (token.tag) {
        case html: return in_body(token);
        case base:
        case basefont:
        case bgsound:
        case link:
        case meta: insert_void_element(token); return Step::done;
        case title: insert_raw_text_element(token, TokenizerState::rcdata); return Step::done;
        case noscript:
            if (options_.scripting == Scripting::on) {
                insert_raw_text_element(token, TokenizerState::rawtext);
            } else {
                insert_element(token);
                mode_ = Mode::in_head_noscript;
            }
            return Step::done;
        case noframes:
        case style: insert_raw_text_element(token, TokenizerState::rawtext); return Step::done;
        case script: insert_raw_text_element(token, TokenizerState::script_data); return Step::done;
        case template_: start_template(token); return Step::done;
        case head: return Step::done;
        default: return leave_head();
    }
}

TreeBuilder::Step TreeBuilder::in_head_noscript(Token& token) {
    using enum Tag;
    if (insert_leading_space(token) || token.kind == TokenKind::doctype) return Step::done;
    if (token.is_leaf()) return in_head(token);
    if (token.kind == TokenKind::start_tag) {
        if (token.tag == html) return in_body(token);
        if (TagSet(basefont, bgsound, link, meta, noframes, style).contains(token.tag)) return in_head(token);
        if (token.tag == head || token.tag == noscript) return Step::done;
    }
    if (token.kind == TokenKind::end_tag && token.tag != br && token.tag != noscript) return Step::done;
    open_.pop();
    mode_ = Mode::in_head;
    return token.is_end(noscript) ? Step::done : Step::again;
}

void TreeBuilder::open_body() {
    insert_element(Tag::body);
    mode_ = Mode::in_body;
}

TreeBuilder::Step TreeBuilder::after_head(Token& token) {
    if (insert_leading_space(token) || token.kind == TokenKind::doctype) return Step::done;
    if (token.is_leaf()) {
        insert_comment(token);
        return Step::done;
    }
    if (token.kind == TokenKind::start_tag) return after_head_start_tag(token);
    if (token.kind == TokenKind::end_tag) {
        if (token.tag == Tag::template_) return in_head(token);
        if (is_stray_end_tag(token) || token.tag == Tag::head) return Step::done;
    }
    open_body();
    return Step::again;
}

TreeBuilder::Step TreeBuilder::after_head_start_tag(Token& token) {
    using enum Tag;
    switch (token.tag) {
        case html: return in_body(token);
        case body:
            insert_element(token);
            frameset_ok_ = false;
            mode_ = Mode::in_body;
            return Step::done;
        case frameset:
            insert_element(token);
            mode_ = Mode::in_frameset;
            return Step::done;
        case base:
        case basefont:
        case bgsound:
        case link:
        case meta:
        case noframes:
        case script:
        case style:
        case template_:
        case title: {
            // They belong to the head, even though it was closed.
            open_.push({.node = head_, .tag = head, .token_tag = head});
            const Step step = in_head(token);
            open_.remove(open_.index_of(head_));
            return step;
        }
        case head: return Step::done;
        default: open_body(); return Step::again;
    }
}

}  // namespace quarry::html
