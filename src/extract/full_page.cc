// The selection for --full-page, and the ground main-content selection stands on.
#include <algorithm>

#include "extract/main_content.h"
#include "extract/visibility.h"

namespace quarry::extract {

using html::NodeId;
using html::Tag;
using html::Tree;

namespace {

class FullPage {
public:
    explicit FullPage(const Tree& tree) : tree_(tree), before_(rendered_text_before(tree)) {}

    bool drops(NodeId id) const {
        if (is_never_rendered(tree_, id)) return true;
        if (tree_.is(id, Tag::noscript)) return !noscript_adds(id);
        // Some pages hide everything until a script has run; what holds most of the text is the page.
        return is_hidden(tree_, id) && 2 * text_inside(id) <= before_.back();
    }

private:
    std::uint64_t text_inside(NodeId id) const { return before_[tree_[id].end] - before_[id]; }

    // A browser with scripts ignores <noscript>. We ran none, so it is wanted where it stands for something
    // that scripts would have brought: a lazily loaded image, or the whole page.
    bool noscript_adds(NodeId id) const {
        const std::uint64_t text = text_inside(id);
        if (text != 0) return 2 * text > before_.back();
        return !follows_image(id);
    }

    // Looks back over at most a comment or blank text, so that many siblings cost no more than one.
    bool follows_image(NodeId id) const {
        NodeId before = id;
        for (int step = 0; step < 3 && before > tree_[id].parent + 1; ++step) {
            --before;
            while (tree_[before].parent != tree_[id].parent) before = tree_[before].parent;
            if (tree_.is_element(before)) return has_image(before);
        }
        return false;
    }

    bool has_image(NodeId id) const {
        const NodeId end = std::min(tree_[id].end, id + 4);  // <picture><source><img>, <a><img>
        for (NodeId inside = id; inside < end; ++inside) {
            if (tree_.is(inside, Tag::img)) return true;
        }
        return false;
    }

    const Tree& tree_;
    std::vector<std::uint32_t> before_;
};

}  // namespace

Selection select_full_page(const Tree& tree) {
    Selection selection(tree);
    const FullPage page(tree);
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (!page.drops(id)) continue;
        const NodeId end = tree[id].end;
        for (; id < end; ++id) selection.drop(id);
        --id;
    }
    return selection;
}

}  // namespace quarry::extract
