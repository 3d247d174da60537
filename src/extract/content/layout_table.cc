#include "extract/content/layout_table.h"

namespace quarry::extract {

using html::NodeId;
using html::Tag;

std::vector<bool> find_layout_tables(const html::Tree& tree) {
    static constexpr html::TagSet not_in_a_cell{
        Tag::table,   Tag::h1,   Tag::h2, Tag::h3, Tag::h4,  Tag::h5, Tag::h6,        Tag::article,
        Tag::section, Tag::form, Tag::ul, Tag::ol, Tag::pre, Tag::hr, Tag::blockquote};
    std::vector<bool> is_layout(tree.size(), false);
    std::vector<NodeId> open_tables;
    for (NodeId id = 0; id < tree.size(); ++id) {
        while (!open_tables.empty() && id >= tree[open_tables.back()].end) open_tables.pop_back();
        if (!tree.is_element(id)) continue;
        if (!open_tables.empty() && not_in_a_cell.contains(tree[id].tag))
            is_layout[open_tables.back()] = true;
        if (tree.is(id, Tag::table)) open_tables.push_back(id);
    }
    return is_layout;
}

}  // namespace quarry::extract
