// The insertion modes of tables. Text and elements that may not stand where they are in a table are put
// before it ("foster parenting"); rows and cells open and close each other.
#include <algorithm>

#include "html/characters.h"
#include "html/construction/tree_builder.h"

namespace quarry::html {

namespace {

using enum Tag;

constexpr TagSet table_stops{table, template_, html};
constexpr TagSet body_stops{tbody, tfoot, thead, template_, html};
constexpr TagSet row_stops{tr, template_, html};
constexpr TagSet sections{tbody, tfoot, thead};
constexpr TagSet structure{caption, col, colgroup, tbody, td, tfoot, th, thead, tr};

}  // namespace

void TreeBuilder::clear_stack_to(TagSet stops) {
    while (open_.current().space != Namespace::html || !stops.contains(open_.current().tag)) open_.pop();
}

TreeBuilder::Step TreeBuilder::in_table(Token& token) {
    switch (token.kind) {
        case TokenKind::characters:
        case TokenKind::null_characters:
            if ((open_.current().classes() & table_structure) == 0 && !is_current(template_)) break;
            table_text_.clear();
            table_text_is_space_ = true;
            original_mode_ = mode_;
            mode_ = Mode::in_table_text;
            return Step::again;
        case TokenKind::comment:
        case TokenKind::processing_instruction: insert_comment(token); return Step::done;
        case TokenKind::doctype: return Step::done;
        case TokenKind::start_tag: return in_table_start_tag(token);
        case TokenKind::end_tag: return in_table_end_tag(token);
        case TokenKind::end_of_file: return in_body(token);
    }
    return in_table_anything_else(token);
}

TreeBuilder::Step TreeBuilder::in_table_anything_else(Token& token) {
    foster_parenting_ = true;
    const Step step = in_body(token);
    foster_parenting_ = false;
    return step;
}

TreeBuilder::Step TreeBuilder::in_table_start_tag(Token& token) {
    switch (token.tag) {
        case caption:
            clear_stack_to(table_stops);
            formatting_.push_marker();
            insert_element(token);
            mode_ = Mode::in_caption;
            return Step::done;
        case colgroup:
        case col:
            clear_stack_to(table_stops);
            mode_ = Mode::in_column_group;
            if (token.tag == colgroup) {
                insert_element(token);
                return Step::done;
            }
            insert_element(colgroup);
            return Step::again;
        case tbody:
        case tfoot:
        case thead:
        case td:
        case th:
        case tr:
            clear_stack_to(table_stops);
            mode_ = Mode::in_table_body;
            if (sections.contains(token.tag)) {
                insert_element(token);
                return Step::done;
            }
            insert_element(tbody);
            return Step::again;
        case table:
            if (!open_.has_in_table_scope(table)) return Step::done;
            open_.pop_through(table);
            reset_insertion_mode();
            return Step::again;
        case style:
        case script:
        case template_: return in_head_start_tag(token);
        case input:
            if (!equals_ignore_case(attribute(token, Attr::type), "hidden")) break;
            insert_void_element(token);
            return Step::done;
        case form:
            if (form_ == no_node && !has_template()) {
                form_ = insert_element(token);
                open_.pop();
            }
            return Step::done;
        default: break;
    }
    return in_table_anything_else(token);
}

TreeBuilder::Step TreeBuilder::in_table_end_tag(Token& token) {
    if (token.tag == table) {
        if (!open_.has_in_table_scope(table)) return Step::done;
        open_.pop_through(table);
        reset_insertion_mode();
        return Step::done;
    }
    if (token.tag == body || token.tag == html || structure.contains(token.tag)) return Step::done;
    if (token.tag == template_) {
        end_template();
        return Step::done;
    }
    return in_table_anything_else(token);
}

// Text is held back until it is known whether all of it is white space.
TreeBuilder::Step TreeBuilder::in_table_text(Token& token) {
    if (token.is_text()) {
        if (token.kind == TokenKind::characters) {
            table_text_.push_back(token.text);
            table_text_is_space_ = table_text_is_space_ && is_all_space(token.text);
        }
        return Step::done;
    }
    flush_table_text();
    mode_ = original_mode_;
    return Step::again;
}

void TreeBuilder::flush_table_text() {
    foster_parenting_ = !table_text_is_space_;
    for (const std::string_view text : table_text_) {
        if (table_text_is_space_) {
            insert_text(text);
        } else {
            in_body_text(text);
        }
    }
    foster_parenting_ = false;
    table_text_.clear();
}

bool TreeBuilder::close_caption() {
    if (!open_.has_in_table_scope(caption)) return false;
    generate_implied_end_tags();
    open_.pop_through(caption);
    formatting_.clear_to_marker();
    mode_ = Mode::in_table;
    return true;
}

TreeBuilder::Step TreeBuilder::in_caption(Token& token) {
    if (token.is_end(caption)) {
        close_caption();
        return Step::done;
    }
    const bool ends_caption =
        (token.kind == TokenKind::start_tag && structure.contains(token.tag)) || token.is_end(table);
    if (ends_caption) return close_caption() ? Step::again : Step::done;
    const bool stray = structure.contains(token.tag) || token.tag == body || token.tag == html;
    if (token.kind == TokenKind::end_tag && stray) return Step::done;
    return in_body(token);
}

TreeBuilder::Step TreeBuilder::in_column_group(Token& token) {
    if (insert_leading_space(token)) return Step::done;
    switch (token.kind) {
        case TokenKind::comment:
        case TokenKind::processing_instruction: insert_comment(token); return Step::done;
        case TokenKind::doctype: return Step::done;
        case TokenKind::end_of_file: return in_body(token);
        case TokenKind::start_tag:
            if (token.tag == html) return in_body(token);
            if (token.tag == template_) return in_head_start_tag(token);
            if (token.tag != col) break;
            insert_void_element(token);
            return Step::done;
        case TokenKind::end_tag:
            if (token.tag == col) return Step::done;
            if (token.tag != template_) break;
            end_template();
            return Step::done;
        default: break;
    }
    if (!is_current(colgroup)) return Step::done;
    open_.pop();
    mode_ = Mode::in_table;
    return token.is_end(colgroup) ? Step::done : Step::again;
}

// A token of the table itself ends the section that is open.
TreeBuilder::Step TreeBuilder::leave_table_body() {
    const auto is_open = [this](Tag tag) { return open_.has_in_table_scope(tag); };
    if (!is_open(tbody) && !is_open(thead) && !is_open(tfoot)) return Step::done;
    clear_stack_to(body_stops);
    open_.pop();
    mode_ = Mode::in_table;
    return Step::again;
}

TreeBuilder::Step TreeBuilder::in_table_body(Token& token) {
    if (token.kind == TokenKind::start_tag) {
        switch (token.tag) {
            case tr:
            case th:
            case td:
                clear_stack_to(body_stops);
                mode_ = Mode::in_row;
                if (token.tag == tr) {
                    insert_element(token);
                    return Step::done;
                }
                insert_element(tr);
                return Step::again;
            case caption:
            case col:
            case colgroup:
            case tbody:
            case tfoot:
            case thead: return leave_table_body();
            default: break;
        }
    } else if (token.kind == TokenKind::end_tag) {
        if (sections.contains(token.tag)) {
            if (!open_.has_in_table_scope(token.tag)) return Step::done;
            clear_stack_to(body_stops);
            open_.pop();
            mode_ = Mode::in_table;
            return Step::done;
        }
        if (token.tag == table) return leave_table_body();
        if (token.tag == body || token.tag == html || structure.contains(token.tag)) return Step::done;
    }
    return in_table(token);
}

bool TreeBuilder::close_row() {
    if (!open_.has_in_table_scope(tr)) return false;
    clear_stack_to(row_stops);
    open_.pop();
    mode_ = Mode::in_table_body;
    return true;
}

TreeBuilder::Step TreeBuilder::in_row(Token& token) {
    if (token.kind == TokenKind::end_tag) return in_row_end_tag(token);
    if (token.kind == TokenKind::start_tag) {
        if (token.tag == th || token.tag == td) {
            clear_stack_to(row_stops);
            insert_element(token);
            mode_ = Mode::in_cell;
            formatting_.push_marker();
            return Step::done;
        }
        if (structure.contains(token.tag)) return close_row() ? Step::again : Step::done;
    }
    return in_table(token);
}

TreeBuilder::Step TreeBuilder::in_row_end_tag(Token& token) {
    if (token.tag == tr) {
        close_row();
        return Step::done;
    }
    if (token.tag == table) return close_row() ? Step::again : Step::done;
    if (sections.contains(token.tag)) {
        return open_.has_in_table_scope(token.tag) && close_row() ? Step::again : Step::done;
    }
    if (token.tag == body || token.tag == html || structure.contains(token.tag)) return Step::done;
    return in_table(token);
}

void TreeBuilder::close_cell() {
    generate_implied_end_tags();
    while (!is_current(td) && !is_current(th)) open_.pop();
    open_.pop();
    formatting_.clear_to_marker();
    mode_ = Mode::in_row;
}

TreeBuilder::Step TreeBuilder::in_cell(Token& token) {
    if (token.kind == TokenKind::end_tag) return in_cell_end_tag(token);
    if (token.kind == TokenKind::start_tag && structure.contains(token.tag)) {
        if (!open_.has_in_table_scope(td) && !open_.has_in_table_scope(th)) return Step::done;
        close_cell();
        return Step::again;
    }
    return in_body(token);
}

TreeBuilder::Step TreeBuilder::in_cell_end_tag(Token& token) {
    if (token.tag == td || token.tag == th) {
        if (!open_.has_in_table_scope(token.tag)) return Step::done;
        generate_implied_end_tags();
        open_.pop_through(token.tag);
        formatting_.clear_to_marker();
        mode_ = Mode::in_row;
        return Step::done;
    }
    if (token.tag == table || token.tag == tr || sections.contains(token.tag)) {
        if (!open_.has_in_table_scope(token.tag)) return Step::done;
        close_cell();
        return Step::again;
    }
    if (token.tag == body || token.tag == html || structure.contains(token.tag)) return Step::done;
    return in_body(token);
}

TreeBuilder::Mode TreeBuilder::mode_for(Tag tag) const {
    switch (tag) {
        case td:
        case th: return Mode::in_cell;
        case tr: return Mode::in_row;
        case tbody:
        case thead:
        case tfoot: return Mode::in_table_body;
        case caption: return Mode::in_caption;
        case colgroup: return Mode::in_column_group;
        case table: return Mode::in_table;
        case template_: return template_modes_.empty() ? Mode::in_template : template_modes_.back();
        case head: return Mode::in_head;
        case frameset: return Mode::in_frameset;
        case html: return head_ == no_node ? Mode::before_head : Mode::after_head;
        default: return Mode::in_body;
    }
}

// Finds the mode from the topmost element that says something about it. The root of a fragment stands for the
// fragment's context.
void TreeBuilder::reset_insertion_mode() {
    static constexpr Tag telling[] = {td,       th,    tr,        tbody, thead, tfoot,    caption,
                                      colgroup, table, template_, head,  body,  frameset, html};
    auto index = OpenElements::none;
    for (const Tag tag : telling) index = std::max(index, open_.topmost(tag));
    if (index > 0 || !is_fragment_) {
        mode_ = mode_for(open_[index].tag);
        return;
    }
    const bool says_nothing =
        context_.space != Namespace::html || context_.tag == td || context_.tag == th || context_.tag == head;
    mode_ = says_nothing ? Mode::in_body : mode_for(context_.tag);
}

}  // namespace quarry::html
