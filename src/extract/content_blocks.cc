#include "extract/content_blocks.h"

#include <algorithm>

namespace quarry::extract {

using html::NodeId;
using html::Tag;

namespace {

constexpr std::uint8_t content_threshold = 110;

constexpr html::TagSet kept_with_parent{Tag::br,     Tag::hr,     Tag::wbr,   Tag::img,     Tag::picture,
                                        Tag::source, Tag::input,  Tag::td,    Tag::th,      Tag::tr,
                                        Tag::thead,  Tag::tbody,  Tag::tfoot, Tag::caption, Tag::video,
                                        Tag::audio,  Tag::iframe, Tag::math};

}  // namespace

std::vector<std::uint8_t> choose_blocks(const PageView& page, std::span<const std::uint8_t> likely) {
    std::vector<std::uint8_t> chosen(likely.size());
    for (std::size_t at = 0; at < likely.size(); ++at) chosen[at] = likely[at] >= content_threshold;
    if (std::ranges::find(chosen, 1) == chosen.end()) std::ranges::fill(chosen, 1);
    (void)page;
    return chosen;
}

Selection select_blocks(const PageView& page, std::span<const std::uint8_t> chosen) {
    const html::Tree& tree = page.tree;
    Selection selection(tree, false);
    for (std::size_t at = 0; at < chosen.size(); ++at) {
        if (chosen[at] == 0) continue;
        const Block& block = page.blocks.list[at];
        for (NodeId id = block.first; id <= block.last; ++id) {
            if (page.visibility.never_shown(id)) {
                id = tree[id].end - 1;
            } else {
                selection.keep(id);
            }
        }
        for (NodeId id = block.first; id != html::no_node; id = tree[id].parent) selection.keep(id);
    }
    for (NodeId id = 1; id < tree.size(); ++id) {
        const html::Node& node = tree[id];
        if (selection.keeps(id) || node.kind != html::NodeKind::element || !selection.keeps(node.parent))
            continue;
        if (kept_with_parent.contains(node.tag)) selection.keep(id);
    }
    return selection;
}

}  // namespace quarry::extract
