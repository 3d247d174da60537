// The selection for --full-page: everything a browser would show.
#include "extract/content/extract_main_content.h"
#include "extract/content/visibility.h"

namespace quarry::extract {

using html::NodeId;

Selection select_full_page(const html::Tree& tree) {
    Selection selection(tree);
    const Visibility visibility(tree);
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (!visibility.never_shown(id) && !visibility.hides(id)) continue;
        const NodeId end = tree[id].end;
        for (; id < end; ++id) selection.drop(id);
        --id;
    }
    return selection;
}

}  // namespace quarry::extract
