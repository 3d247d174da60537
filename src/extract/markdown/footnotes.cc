#include "extract/markdown/footnotes.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "extract/markdown/classes.h"
#include "extract/markdown/writer.h"
#include "extract/one_line.h"

namespace quarry::extract::markdown {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

namespace {

constexpr html::TagSet note_tags{Tag::li, Tag::p, Tag::div, Tag::aside, Tag::dd};
constexpr html::TagSet small_tags{Tag::sup, Tag::span, Tag::b, Tag::strong, Tag::small, Tag::em};
constexpr int most_levels = 3;
constexpr NodeId most_note_nodes = 2000;
constexpr std::size_t longest_label = 12;
constexpr unsigned most_items = 100;

bool is_written(const Tree& tree, const Selection& selection, NodeId id) {
    for (; id != html::no_node; id = tree[id].parent) {
        if (!selection.keeps(id)) return false;
    }
    return true;
}

// The block that the target of a reference marks: itself, or what it stands in.
NodeId block_of(const Tree& tree, NodeId target) {
    for (int level = 0; level <= most_levels && target != html::no_node;
         ++level, target = tree[target].parent) {
        if (!tree.is_element(target) || tree[target].tag == Tag::td || tree[target].tag == Tag::tr) break;
        if (note_tags.contains(tree[target].tag)) return target;
    }
    return html::no_node;
}

bool is_in_list_of_notes(const Tree& tree, NodeId id) {
    for (int level = 0; level <= most_levels && id != html::no_node; ++level, id = tree[id].parent) {
        const std::string_view role = tree.attribute_or_empty(id, Attr::role);
        if (role == "doc-endnotes" || role == "doc-footnote") return true;
        if (class_traits(tree.attribute_or_empty(id, Attr::class_)).has(ClassTrait::footnotes)) return true;
    }
    return false;
}

// "[1]" -> "1". Only what can stand in a label is kept.
std::string label_of(const Tree& tree, NodeId link) {
    std::string label;
    for (const char c : text_line(tree, link, 2 * longest_label)) {
        const bool usable = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '-';
        if (usable && label.size() < longest_label) label += c;
    }
    return label;
}

// The third item of a list that [3] refers to needs no other mark.
bool is_numbered_item(const Tree& tree, NodeId note, NodeId link) {
    if (!tree.is(note, Tag::li) || !tree.is(tree[note].parent, Tag::ol)) return false;
    const std::string label = label_of(tree, link);
    unsigned number = 0;
    const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), number);
    if (error != std::errc() || end != label.data() + label.size() || number == 0 || number > most_items)
        return false;
    for (NodeId item = tree[note].parent + 1; item <= note && number > 0; item = tree[item].end) {
        if (tree.is(item, Tag::li)) --number;
        if (item == note) return number == 0;
    }
    return false;
}

}  // namespace

Footnotes::Footnotes(const Tree& tree, const Selection& selection, const Survey& survey) {
    if (survey.raised_links().empty()) return;
    collect_ids(tree);
    look_budget_ = 16 * std::uint64_t{tree.size()};
    for (const NodeId link : survey.raised_links()) {
        const NodeId note = find_note(tree, link);
        if (note != html::no_node && is_written(tree, selection, note)) add(tree, link, note);
    }
    ids_.clear();
    known_.clear();
    labels_.clear();
    std::ranges::sort(notes_, {}, &Footnote::id);
    std::ranges::sort(backlinks_);
}

void Footnotes::collect_ids(const Tree& tree) {
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (!tree.is_element(id)) continue;
        for (const html::Attribute& attribute : tree.attributes(id)) {
            if (attribute.name == Attr::id || (attribute.name == Attr::name && tree[id].tag == Tag::a))
                ids_.try_emplace(attribute.value, id);
        }
    }
}

NodeId Footnotes::target(std::string_view reference) const {
    if (!reference.starts_with('#')) return html::no_node;
    const auto found = ids_.find(reference.substr(1));
    return found == ids_.end() ? html::no_node : found->second;
}

// The note that a raised link leads to. It stands after the link: what leads backwards is a note's way back.
NodeId Footnotes::find_note(const Tree& tree, NodeId link) {
    const NodeId marked = target(tree.attribute_or_empty(link, Attr::href));
    if (marked == html::no_node || marked <= link) return html::no_node;
    const NodeId note = block_of(tree, marked);
    if (note == html::no_node || tree.contains(note, link)) return html::no_node;
    const bool is_note = known_.contains(note) || is_in_list_of_notes(tree, note) ||
                         is_numbered_item(tree, note, link) || leads_back(tree, note, link);
    return is_note ? note : html::no_node;
}

bool Footnotes::leads_back(const Tree& tree, NodeId note, NodeId link) {
    const NodeId end = std::min(tree[note].end, note + most_note_nodes);
    if (look_budget_ < end - note) return false;
    look_budget_ -= end - note;
    for (NodeId inside = note + 1; inside < end; ++inside) {
        if (!tree.is(inside, Tag::a)) continue;
        const NodeId back = target(tree.attribute_or_empty(inside, Attr::href));
        // The link itself, what it stands in, or a mark right before it.
        if (back != html::no_node && back <= link && link - back <= 4) return true;
    }
    return false;
}

void Footnotes::add(const Tree& tree, NodeId link, NodeId note) {
    references_.push_back({.link = link, .note = note});
    if (!known_.insert(note).second) return;
    notes_.push_back({.id = note, .label = free_label(label_of(tree, link))});
    collect_backlinks(tree, note, target(tree.attribute_or_empty(link, Attr::href)));
}

// The label that the page shows, if no other note has it.
std::string Footnotes::free_label(std::string wanted) {
    while (wanted.empty() || !labels_.insert(wanted).second) wanted = std::to_string(next_number_++);
    return wanted;
}

void Footnotes::collect_backlinks(const Tree& tree, NodeId note, NodeId marked_by) {
    // <a id="ref1">1.</a> in front of the note: the label says it already.
    if (marked_by != note && label_of(tree, marked_by) == notes_.back().label)
        backlinks_.push_back(marked_by);
    const NodeId end = std::min(tree[note].end, note + most_note_nodes);
    for (NodeId inside = note + 1; inside < end; ++inside) {
        if (!tree.is_element(inside)) continue;
        const bool marked =
            class_traits(tree.attribute_or_empty(inside, Attr::class_)).has(ClassTrait::footnote_back);
        const NodeId back =
            tree.is(inside, Tag::a) ? target(tree.attribute_or_empty(inside, Attr::href)) : html::no_node;
        if (!marked && (back == html::no_node || back >= note)) continue;
        NodeId whole = inside;
        // The number or the brackets around the link go with it.
        while (tree[whole].parent != note && small_tags.contains(tree[tree[whole].parent].tag) &&
               text_line(tree, tree[whole].parent, 16).size() < longest_label) {
            whole = tree[whole].parent;
        }
        backlinks_.push_back(whole);
        inside = tree[whole].end - 1;
    }
}

const Footnote* Footnotes::note(NodeId id) const {
    const auto found = std::ranges::lower_bound(notes_, id, {}, &Footnote::id);
    return found != notes_.end() && found->id == id ? &*found : nullptr;
}

const Footnote* Footnotes::reference(NodeId link) const {
    const auto found = std::ranges::lower_bound(references_, link, {}, &Reference::link);
    return found != references_.end() && found->link == link ? note(found->note) : nullptr;
}

NodeId Footnotes::next_reference(NodeId id) const {
    const auto found = std::ranges::lower_bound(references_, id, {}, &Reference::link);
    return found == references_.end() ? html::no_node : found->link;
}

bool Footnotes::is_backlink(NodeId id) const {
    return std::ranges::binary_search(backlinks_, id);
}

bool Writer::footnote_reference(NodeId id) {
    const Footnote* note = footnotes_.reference(id);
    if (note == nullptr) return false;
    run_.raw("[^" + note->label + "]");
    return true;
}

// A reference stands for the whole superscript it is in: brackets and commas around it are only decoration.
void Writer::superscript(NodeId id) {
    NodeId reference = footnotes_.next_reference(id);
    if (reference >= tree_[id].end) {
        formatted(id, Format::superscript);
        return;
    }
    for (; reference < tree_[id].end; reference = footnotes_.next_reference(reference + 1))
        footnote_reference(reference);
}

void Writer::footnote(NodeId id, const Footnote& note) {
    if (place_ != Place::blocks) {
        block(id);
        return;
    }
    end_paragraph();
    out_.open_footnote(note.label);
    children(id);
    end_paragraph();
    out_.close_container();
}

}  // namespace quarry::extract::markdown
