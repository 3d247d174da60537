#include "extract/content/extract_main_content.h"

#include "extract/content/block_features.h"
#include "extract/content/main_content.h"
#include "extract/content/context_features.h"
#include "extract/content/main_content_model.h"
#include "extract/content/page_view.h"

namespace quarry::extract {

Selection select_main_content(const html::Tree& tree) {
    const PageView page(tree);
    return select_blocks(page, choose_blocks(page, judge_blocks(page)));
}

}  // namespace quarry::extract
