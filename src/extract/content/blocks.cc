#include "extract/content/blocks.h"

#include <algorithm>

#include "extract/content/text_scan.h"
#include "extract/content/visibility.h"

namespace quarry::extract {

using html::NodeId;
using html::NodeKind;
using html::Tag;
using html::Tree;

namespace {

class Segmenter {
public:
    Segmenter(const Tree& tree, const Visibility& visibility, const WordWeights& weights)
        : tree_(tree),
          visibility_(visibility),
          weights_(weights),
          container_(tree.size(), html::document_node) {
        result_.before.resize(tree.size() + 1);
        // What a small page needs, so that it grows without moves.
        constexpr std::size_t few_words = 1024, nodes_per_block = 6;
        result_.words.resize(few_words);
        result_.list.reserve(tree.size() / nodes_per_block + 1);
    }

    Blocks run() {
        for (NodeId id = 0; id < tree_.size(); ++id) id = visit(id);
        result_.before[tree_.size()] = static_cast<std::uint32_t>(result_.list.size());
        result_.words.resize(word_count_);
        return std::move(result_);
    }

private:
    // Returns the last node that is dealt with: the node, or the end of a subtree that is skipped.
    NodeId visit(NodeId id) {
        const html::Node& node = tree_[id];
        result_.before[id] = static_cast<std::uint32_t>(result_.list.size());
        if (node.kind == NodeKind::text) {
            add_text(id);
        } else if (is_skipped(id)) {
            for (NodeId inside = id + 1; inside < node.end; ++inside)
                result_.before[inside] = result_.before[id];
            return node.end - 1;
        } else {
            enter(id);
        }
        return id;
    }

    bool is_skipped(NodeId id) const {
        return (tree_[id].tag == Tag::svg && !holds_html(id)) || visibility_.never_shown(id);
    }

    // A drawing is no text, but one that is not closed may hold the rest of the page: as HTML, or past the
    // parser's limit of depth as text right below <svg>.
    bool holds_html(NodeId svg) const {
        const auto inside = tree_.nodes().subspan(svg, tree_[svg].end - svg);
        return std::ranges::any_of(inside, [this](const html::Node& node) {
            if (node.kind == NodeKind::text)
                return tree_[node.parent].tag == Tag::svg && !is_blank(node.text);
            return node.kind == NodeKind::element && node.space == html::Namespace::html;
        });
    }

    void enter(NodeId id) {
        const html::Node& node = tree_[id];
        const NodeId outer = node.parent == html::no_node ? id : container_[node.parent];
        // Code viewers put every line in an element of its own; the code stays one block.
        const bool inside_pre = tree_.is(outer, Tag::pre);
        const bool is_block = !inside_pre && is_block_level(node);
        container_[id] = is_block ? id : outer;
        if (is_block) boundary_ = true;
        if (node.tag == Tag::a) link_end_ = node.end;
        if (node.tag == Tag::br && ++line_breaks_ >= 2 && !inside_pre) boundary_ = true;
    }

    void add_text(NodeId id) {
        const std::string_view text = tree_[id].text;
        if (is_blank(text)) return;
        const NodeId container = container_[tree_[id].parent];
        if (boundary_ || result_.list.empty() || result_.list.back().container != container) {
            result_.list.push_back(
                {.container = container, .first = id, .last = id, .first_word = word_count_});
        }
        boundary_ = false;
        line_breaks_ = 0;
        Block& block = result_.list.back();
        block.last = id;
        make_room_for_words(text);
        std::uint32_t* next_word = result_.words.data() + word_count_;
        scan_text(text, id < link_end_ ? InLink::yes : InLink::no, {weights_, block.text, next_word});
        word_count_ = static_cast<std::uint32_t>(next_word - result_.words.data());
        block.end_word = word_count_;
    }

    // Between two words is a byte at least.
    void make_room_for_words(std::string_view text) {
        const std::size_t wanted = word_count_ + text.size() / 2 + 1;
        if (result_.words.size() < wanted) result_.words.resize(2 * wanted);
    }

    const Tree& tree_;
    const Visibility& visibility_;
    const WordWeights& weights_;
    Blocks result_;
    std::vector<NodeId> container_;
    std::uint32_t word_count_ = 0;
    NodeId link_end_ = 0;
    int line_breaks_ = 0;
    bool boundary_ = true;
};

}  // namespace

Blocks segment(const Tree& tree, const Visibility& visibility, const Vocabulary& vocabulary) {
    return Segmenter(tree, visibility, vocabulary.text_words).run();
}

}  // namespace quarry::extract
