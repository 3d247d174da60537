// Links written in markdown or plain text: documents that are served as such, and llms.txt.
#pragma once

#include <string_view>
#include <vector>

#include "model/document.h"
#include "url/url.h"

namespace quarry::extract {

struct InlineLinks {
    std::vector<Link> links{};
    std::vector<Image> images{};
};

// Finds [text](url), ![alt](url), <https://…> and bare https://… outside of code, in order, each URL once,
// absolute, http(s) only. Reference definitions ([text]: url) count as links. Linear.
InlineLinks find_inline_links(std::string_view markdown, const url::Url* base);

}  // namespace quarry::extract
