#include "html/construction/tree_builder.h"

#include <algorithm>
#include <utility>

#include "html/characters.h"
#include "html/construction/build_tree.h"
#include "html/source_text.h"

namespace quarry::html {

namespace {

// One start tag can open several elements (a <td> in a <table> opens three, a <template> has its contents),
// so the limit is enforced this many levels early.
constexpr std::uint32_t levels_in_reserve = 6;
constexpr std::uint32_t least_depth = 16;
constexpr std::uint32_t greatest_depth = 16'000;

std::int32_t clamped_depth(std::uint32_t depth) {
    return static_cast<std::int32_t>(std::clamp(depth, least_depth, greatest_depth) - levels_in_reserve);
}

// Formatting elements are repeated in every block that they reach into. Pages that mean it need a few per
// paragraph; without a limit 64 elements of a few bytes could be repeated by each <p> of a page.
std::uint64_t clone_budget(std::size_t source_bytes) {
    return 10'000 + source_bytes / 16;
}

// Each misnested end tag may move the whole stack, and a few bytes can ask for that again and again. Ordinary
// pages stay under a hundredth of this.
std::uint64_t stack_work_budget(std::size_t source_bytes) {
    return 100'000 + source_bytes * 4;
}

// Real pages have a node for every 30 to 60 bytes.
std::size_t expected_nodes(std::size_t source_bytes) {
    return 64 + source_bytes / 24;
}

}  // namespace

TreeBuilder::TreeBuilder(std::string source, const ParserOptions& options)
    : options_(options),
      tree_([&] {
          Tree tree;
          tree.storage_.reset(new Tree::Storage);
          // Sizes of texts have 32 bits.
          const std::uint64_t most_bytes = std::min<std::uint64_t>(options.limits.source_bytes, 1U << 30);
          if (source.size() > most_bytes) {
              source.resize(most_bytes);
              tree.limits_hit_.bytes = true;
          }
          normalise_source(source);
          tree.storage_->source.bytes = std::move(source);
          return tree;
      }()),
      source_(tree_.storage_->source),
      tokenizer_(source_, tree_.attributes_, options.limits.attributes_per_element),
      nodes_(source_.text, expected_nodes(source_.bytes.size())),
      open_(nodes_),
      formatting_(tree_.attributes_, options.limits.active_formatting_elements),
      clones_left_(clone_budget(source_.bytes.size())),
      most_stack_work_(stack_work_budget(source_.bytes.size())),
      max_open_(clamped_depth(options.limits.depth)) {
    BuildNode document;
    document.kind = NodeKind::document;
    nodes_.add(document);
    discarded_ = nodes_.add(BuildNode{});
}

Tree TreeBuilder::parse_document() {
    run();
    return finish();
}

Tree TreeBuilder::parse_fragment(const FragmentContext& context) {
    using enum Tag;
    is_fragment_ = true;
    const std::string_view name = source_.values.copy(context.tag);
    context_.tag = source_.tag_number(name);
    context_.token_tag = context_.tag;
    context_.space = context.space;
    context_.is_html_integration_point =
        context.space == Namespace::svg && TagSet(foreign_object, desc, title).contains(context_.tag);
    insert_element(Tag::html);
    if (context_.is(template_)) template_modes_.push_back(Mode::in_template);
    if (context_.is(form)) form_ = discarded_;
    reset_insertion_mode();
    tokenizer_.set_state(state_for_context(), {});
    run();
    return finish();
}

// How the tokenizer reads the contents of the fragment's context.
TokenizerState TreeBuilder::state_for_context() const {
    using enum Tag;
    if (context_.space != Namespace::html) return TokenizerState::data;
    switch (context_.tag) {
        case title:
        case textarea: return TokenizerState::rcdata;
        case noscript:
            return options_.scripting == Scripting::on ? TokenizerState::rawtext : TokenizerState::data;
        case style:
        case xmp:
        case iframe:
        case noembed:
        case noframes: return TokenizerState::rawtext;
        case script: return TokenizerState::script_data;
        case plaintext: return TokenizerState::plaintext;
        default: return TokenizerState::data;
    }
}

Tree TreeBuilder::finish() {
    open_unclosed_templates();
    TreeWriter::write(nodes_, tree_);
    tree_.limits_hit_.attributes = tokenizer_.attribute_limit_hit();
    for (NodeId id = tree_.first_child(document_node); id != no_node; id = tree_.next_sibling(id)) {
        if (tree_.is(id, Tag::html)) tree_.html_ = id;
    }
    if (tree_.html_ != no_node && !is_fragment_) {
        for (NodeId id = tree_.first_child(tree_.html_); id != no_node; id = tree_.next_sibling(id)) {
            if (tree_.is(id, Tag::head) && tree_.head_ == no_node) tree_.head_ = id;
            if (tree_.is(id, Tag::body) && tree_.body_ == no_node) tree_.body_ = id;
        }
    }
    return std::move(tree_);
}

void TreeBuilder::run() {
    for (;;) {
        tokenizer_.allow_cdata(is_in_foreign());
        Token& token = tokenizer_.next();
        if (skip_line_feed_) {
            skip_line_feed_ = false;
            if (token.kind == TokenKind::characters && token.text.front() == '\n') {
                token.text.remove_prefix(1);
                if (token.text.empty()) continue;
            }
        }
        // The token belongs to the tokenizer; what it was must survive being changed on the way.
        const bool is_end = token.kind == TokenKind::end_of_file;
        process(token);
        if (is_end) return;
    }
}

void TreeBuilder::process(Token& token) {
    if (stop_at_limits(token)) return;
    while (dispatch(token) == Step::again) {
    }
}

TreeBuilder::Step TreeBuilder::dispatch(Token& token) {
    return is_foreign_content(token) ? foreign(token) : dispatch_as_html(token);
}

TreeBuilder::Step TreeBuilder::dispatch_as_html(Token& token) {
    switch (mode_) {
        case Mode::initial: return initial(token);
        case Mode::before_html: return before_html(token);
        case Mode::before_head: return before_head(token);
        case Mode::in_head: return in_head(token);
        case Mode::in_head_noscript: return in_head_noscript(token);
        case Mode::after_head: return after_head(token);
        case Mode::in_body: return in_body(token);
        case Mode::text: return text_mode(token);
        case Mode::in_table: return in_table(token);
        case Mode::in_table_text: return in_table_text(token);
        case Mode::in_caption: return in_caption(token);
        case Mode::in_column_group: return in_column_group(token);
        case Mode::in_table_body: return in_table_body(token);
        case Mode::in_row: return in_row(token);
        case Mode::in_cell: return in_cell(token);
        case Mode::in_template: return in_template(token);
        case Mode::after_body: return after_body(token);
        case Mode::in_frameset: return in_frameset(token);
        case Mode::after_frameset: return after_frameset(token);
        case Mode::after_after_body: return after_after_body(token);
        case Mode::after_after_frameset: return after_after_frameset(token);
    }
    return Step::done;
}

TreeBuilder::Step TreeBuilder::text_mode(Token& token) {
    if (token.kind == TokenKind::characters) {
        insert_text(token.text);
        return Step::done;
    }
    open_.pop();
    mode_ = original_mode_;
    return token.kind == TokenKind::end_of_file ? Step::again : Step::done;
}

const OpenElement& TreeBuilder::adjusted_current() const {
    return is_fragment_ && open_.size() == 1 ? context_ : open_.current();
}

// Inside svg and math only: text and elements that stand in their HTML parts are read as HTML all the same.
bool TreeBuilder::is_read_as_foreign(const Token& token) const {
    const OpenElement& current = adjusted_current();
    if (token.kind == TokenKind::end_of_file) return false;
    const bool is_start = token.kind == TokenKind::start_tag;
    if (current.space == Namespace::mathml) {
        using enum Tag;
        static constexpr TagSet text_integration_points{mi, mo, mn, ms, mtext};
        if (text_integration_points.contains(current.tag)) {
            if (token.is_text() || (is_start && token.tag != mglyph && token.tag != malignmark)) return false;
        }
        if (current.tag == annotation_xml && is_start && token.tag == svg) return false;
    }
    return !(current.is_html_integration_point && (is_start || token.is_text()));
}

// Takes the tokens that would make the tree deeper or larger than allowed. What they hold goes to the element
// that is already open, so text is kept.
bool TreeBuilder::stop_at_limits(Token& token) {
    if (open_.empty() || mode_ == Mode::text) return false;
    if (!is_too_deep() && !is_full()) [[likely]]
        return false;
    if (token.kind == TokenKind::end_tag) {
        if (overflow_.remove(open_.current().node, token.tag)) return true;
        const bool makes_element = token.tag == Tag::br || token.tag == Tag::p;
        return is_full() && makes_element && !open_.has_in_button_scope(token.tag);
    }
    if (token.kind != TokenKind::start_tag) return token.is_leaf() && is_full();
    if (is_harmless_at_limits(token)) return false;
    start_tag_at_limits(token);
    return true;
}

// Start tags that open nothing for longer than themselves. Raw text must be read as such in any case.
bool TreeBuilder::is_harmless_at_limits(const Token& token) const {
    if (is_foreign_content(token) && !breaks_out_of_foreign(token)) return false;
    const unsigned classes = tag_classes(token.tag);
    if ((classes & raw_text) != 0) return token.tag != Tag::noscript || options_.scripting == Scripting::on;
    const bool is_ignored = token.tag == Tag::frameset && mode_ != Mode::in_frameset;
    return ((classes & never_deep) != 0 || is_ignored) && !is_full();
}

void TreeBuilder::start_tag_at_limits(const Token& token) {
    tree_.limits_hit_.depth |= is_too_deep();
    tree_.limits_hit_.nodes |= is_full();
    const NodeId owner = open_.current().node;
    if (!is_full() && mode_ != Mode::in_table_text && token.tag != Tag::template_) {
        const Namespace space = adjusted_current().space;
        nodes_.insert(place_here(), create_element(token, token.tag, space));
    }
    const bool closed = token.self_closing && adjusted_current().space != Namespace::html;
    if (!closed && (tag_classes(token.tag) & never_deep) == 0) overflow_.add(owner, token.tag);
}

// Making nodes and finding the place where the standard wants them.

NodeId TreeBuilder::contents_of(NodeId node) const {
    const BuildNode& element = nodes_[node];
    const bool is_template = element.tag == Tag::template_ && element.space == Namespace::html &&
                             element.kind == NodeKind::element;
    return is_template && element.first != no_node ? element.first : node;
}

Place TreeBuilder::place_for(NodeId target) const {
    if (foster_parenting_) {
        const BuildNode& element = nodes_[target];
        if ((tag_classes(element.space, element.tag) & table_structure) != 0) return foster_place();
    }
    return {contents_of(target), no_node};
}

// Content that may not stand in a table goes before it.
Place TreeBuilder::foster_place() const {
    const auto last_template = open_.topmost(Tag::template_);
    const auto last_table = open_.topmost(Tag::table);
    if (last_template != OpenElements::none && last_template > last_table) {
        return {contents_of(open_[last_template].node), no_node};
    }
    if (last_table == OpenElements::none) return {open_[0].node, no_node};
    const NodeId table = open_[last_table].node;
    if (nodes_[table].parent != no_node) return {nodes_[table].parent, table};
    return {contents_of(open_[last_table - 1].node), no_node};
}

NodeId TreeBuilder::create_element(const Token& token, Tag tag, Namespace space) {
    BuildNode& node = nodes_.add();
    node.space = space;
    node.tag = tag;
    if (token.attribute_count != 0) {
        node.first_attribute = token.first_attribute;
        node.attribute_count = token.attribute_count;
        tokenizer_.keep_attributes();
    }
    return nodes_.size() - 1;
}

NodeId TreeBuilder::insert_element(const Token& token) {
    const NodeId node = create_element(token, token.tag, Namespace::html);
    nodes_.insert(open_.empty() ? Place{document_node} : place_here(), node);
    open_.push({.node = node, .tag = token.tag, .token_tag = token.tag});
    return node;
}

NodeId TreeBuilder::insert_element(Tag tag) {
    Token token;
    token.kind = TokenKind::start_tag;
    token.tag = tag;
    return insert_element(token);
}

void TreeBuilder::insert_void_element(const Token& token) {
    nodes_.insert(place_here(), create_element(token, token.tag, Namespace::html));
}

void TreeBuilder::insert_foreign_element(Token& token, Namespace space) {
    adjust_foreign_attributes(token, space);
    OpenElement element{.tag = token.tag, .token_tag = token.tag, .space = space};
    if (space == Namespace::svg) element.tag = adjusted_svg_tag(token.tag);
    element.node = create_element(token, element.tag, space);
    element.is_html_integration_point = is_html_integration_point(element, token);
    nodes_.insert(place_here(), element.node);
    if (!token.self_closing) open_.push(element);
}

void TreeBuilder::insert_text(std::string_view text) {
    const Place place = place_here();
    if (place.parent != document_node) nodes_.insert_text(place, text);
}

void TreeBuilder::insert_leaf(const Token& token, Place place) {
    if (is_full()) return;
    BuildNode node;
    node.kind = token.kind == TokenKind::comment ? NodeKind::comment : NodeKind::processing_instruction;
    node.text_data = token.text.data();
    node.text_size = static_cast<std::uint32_t>(token.text.size());
    nodes_.insert(place, nodes_.add(node));
}

void TreeBuilder::insert_raw_text_element(const Token& token, TokenizerState state) {
    if (is_full()) {
        open_.push({.node = discarded_, .tag = token.tag, .token_tag = token.tag});
    } else {
        insert_element(token);
    }
    tokenizer_.set_state(state, name_of(token.tag));
    original_mode_ = mode_;
    mode_ = Mode::text;
}

// A second <html> or <body> adds the attributes that the first one lacks.
void TreeBuilder::merge_attributes(const Token& token, NodeId element) {
    constexpr std::uint32_t most_attributes = 64;
    std::vector<Attribute>& all = tree_.attributes_;
    BuildNode& node = nodes_[element];
    if (token.attribute_count == 0 || node.attribute_count >= most_attributes) return;
    std::vector<Attribute> merged;
    for (std::uint32_t i = 0; i < node.attribute_count; ++i) merged.push_back(all[node.first_attribute + i]);
    const std::size_t had = merged.size();
    for (std::uint32_t i = 0; i < token.attribute_count && merged.size() < most_attributes; ++i) {
        const Attribute& added = all[token.first_attribute + i];
        const auto is_same_name = [&](const Attribute& other) { return other.name == added.name; };
        if (std::ranges::none_of(merged, is_same_name)) merged.push_back(added);
    }
    if (merged.size() == had) return;
    node.first_attribute = static_cast<std::uint32_t>(all.size());
    node.attribute_count = static_cast<std::uint16_t>(merged.size());
    all.insert(all.end(), merged.begin(), merged.end());
    tokenizer_.keep_attributes();
}

bool TreeBuilder::has_attribute(const Token& token, Attr name) const {
    const auto attributes =
        std::span(tree_.attributes_).subspan(token.first_attribute, token.attribute_count);
    return std::ranges::any_of(attributes,
                               [&](const Attribute& attribute) { return attribute.name == name; });
}

std::string_view TreeBuilder::attribute(const Token& token, Attr name) const {
    for (std::uint32_t i = 0; i < token.attribute_count; ++i) {
        const Attribute& attribute = tree_.attributes_[token.first_attribute + i];
        if (attribute.name == name) return attribute.value;
    }
    return {};
}

std::string_view TreeBuilder::name_of(Tag tag) const {
    return tree_.name(tag);
}

}  // namespace quarry::html
