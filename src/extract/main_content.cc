#include "extract/main_content.h"

#include "extract/block_features.h"
#include "extract/content_blocks.h"
#include "extract/context_features.h"
#include "extract/main_content_model.h"
#include "extract/page_view.h"

namespace quarry::extract {

Selection select_main_content(const html::Tree& tree) {
    const PageView page(tree);
    return select_blocks(page, choose_blocks(page, judge_blocks(page)));
}

}  // namespace quarry::extract
