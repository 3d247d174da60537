// Links, images and what else a page refers to.
#include <algorithm>

#include "base/ascii.h"
#include "extract/markdown/heading_anchor.h"
#include "extract/metadata/image_source.h"
#include "extract/markdown/escape.h"
#include "extract/markdown/writer.h"
#include "extract/one_line.h"
#include "url/relative.h"

namespace quarry::extract::markdown {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

namespace {

// Schemes that run or embed something instead of leading somewhere.
bool leads_nowhere(std::string_view reference) {
    for (const std::string_view scheme : {"javascript:", "data:", "vbscript:", "blob:", "about:"}) {
        if (reference.size() >= scheme.size() && same_letters(reference.substr(0, scheme.size()), scheme))
            return true;
    }
    return false;
}

// True if the link's title only repeats what it shows.
bool repeats_text(const Tree& tree, NodeId id, std::string_view title) {
    const std::string line = one_line(title, title.size());
    return text_line(tree, id, line.size() + 8) == line;
}

// True if the link leads to a heading that it holds.
bool holds_own_heading(const Tree& tree, NodeId id, std::string_view fragment) {
    static constexpr html::TagSet headings{Tag::h1, Tag::h2, Tag::h3, Tag::h4, Tag::h5, Tag::h6};
    const NodeId end = std::min(tree[id].end, id + 10);
    for (NodeId inside = id + 1; inside < end; ++inside) {
        if (tree.is_element(inside) && headings.contains(tree[inside].tag))
            return tree.attribute_or_empty(inside, Attr::id) == fragment;
    }
    return false;
}

bool is_one_pixel(const Tree& tree, NodeId id) {
    const auto tiny = [](std::string_view size) {
        return size == "1" || size == "0" || size == "1px" || size == "0px";
    };
    return tiny(tree.attribute_or_empty(id, Attr::width)) && tiny(tree.attribute_or_empty(id, Attr::height));
}

// The element's own source, or that of the first <source> in it.
std::string_view media_source(const Tree& tree, NodeId id) {
    if (const auto source = tree.attribute(id, Attr::src)) return *source;
    for (NodeId child = id + 1; child < tree[id].end; child = tree[child].end) {
        if (tree.is(child, Tag::source)) return tree.attribute_or_empty(child, Attr::src);
    }
    return "";
}

}  // namespace

// The destination for a reference as the page writes it. False if there is nothing to lead to.
bool Writer::resolve(std::string_view reference, std::string& destination) {
    reference = trimmed(reference);
    if (leads_nowhere(reference)) return false;
    if (options_.base == nullptr) {
        destination = reference;
        return true;
    }
    if (!url::resolve_plain(reference, *options_.base, destination)) {
        const auto url = url::Url::parse(reference, options_.base);
        if (!url || leads_nowhere(url->href())) return false;
        destination = url->href();
    }
    const std::uint64_t growth =
        destination.size() > reference.size() ? destination.size() - reference.size() : 0;
    if (growth > expansion_budget_) return false;
    expansion_budget_ -= growth;
    return true;
}

void Writer::anchor(NodeId id) {
    const auto href = tree_.attribute(id, Attr::href);
    if (heading_ != html::no_node && is_heading_anchor(tree_, id)) return;
    // A heading that links to itself says nothing by it.
    const std::string_view fragment = href && href->size() > 1 && href->front() == '#' ? href->substr(1) : "";
    const bool to_itself =
        !fragment.empty() &&
        (heading_ == html::no_node ? holds_own_heading(tree_, id, fragment)
                                   : tree_.attribute_or_empty(heading_, Attr::id) == fragment ||
                                         tree_.attribute_or_empty(id, Attr::id) == fragment);
    if (!href || to_itself || !resolve(*href, scratch_)) {
        children(id);
        return;
    }
    std::string_view title = tree_.attribute_or_empty(id, Attr::title);
    if (!title.empty() && repeats_text(tree_, id, title)) title = {};
    const bool opened = run_.open_link(scratch_, title);
    children(id);
    if (opened) run_.close();
}

void Writer::image(NodeId id) {
    if (in_code_ || is_one_pixel(tree_, id) || formula_image(id)) return;
    std::string_view source = trimmed(tree_.attribute_or_empty(id, Attr::src));
    // A data: URL is often a placeholder for what a script loads later.
    if (source.empty() || source.starts_with("data:")) source = trimmed(image_source(tree_, id));
    const bool is_data = source.starts_with("data:");
    if (source.empty() || (is_data && !options_.keep_data_images)) return;
    std::string destination;
    if (is_data) {
        destination = source;
    } else if (!resolve(source, destination)) {
        return;
    }
    scratch_ = "![";
    append_alternative_text(scratch_, tree_.attribute_or_empty(id, Attr::alt));
    scratch_ += "](";
    append_destination(scratch_, destination);
    append_title(scratch_, tree_.attribute_or_empty(id, Attr::title));
    scratch_ += ')';
    run_.raw(scratch_);
}

// A link named after where it leads: for what can be shown only by a browser.
void Writer::linked_name(std::string_view destination) {
    run_.space();
    if (run_.open_link(destination, "")) {
        run_.text(destination);
        run_.close();
    }
    run_.space();
}

// What stands inside is for browsers that cannot play it.
void Writer::media(NodeId id) {
    const std::string_view source = media_source(tree_, id);
    std::string destination;
    if (source.empty() || !resolve(source, destination)) return;
    linked_name(destination);
}

void Writer::frame(NodeId id, Attr source_attribute) {
    const std::string_view source = trimmed(tree_.attribute_or_empty(id, source_attribute));
    std::string destination;
    if (source.empty() || is_one_pixel(tree_, id) || !resolve(source, destination)) return;
    linked_name(destination);
}

}  // namespace quarry::extract::markdown
