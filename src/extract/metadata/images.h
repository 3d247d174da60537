// The pictures of a page, and where each really is: a page that loads pictures late puts a placeholder into
// src, and srcset offers one picture in several sizes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "html/tree.h"
#include "model/document.h"
#include "url/url.h"

namespace quarry::extract {

// The srcset attribute: one picture in several sizes.

// The URL of the candidate with the most pixels ("640w" or "2x"; none counts as 1x), as written; "" if there
// is none. Follows the HTML standard in where a URL ends: commas belong to it unless they are its last
// characters.
std::string_view best_source(std::string_view srcset);

// Where the picture of an <img> really is: pages that load pictures late put a placeholder into src.

// The reference to the picture as written: the best candidate of srcset (its own, or that of a <source> in
// the <picture> around it), the attributes in which scripts keep it (data-src and the like), or src; "" if
// there is none. A data: URL is given only if there is nothing else.
std::string_view image_source(const html::Tree& tree, html::NodeId image);

// The pictures of a page.

enum class DataImages : std::uint8_t { leave_out, keep };

// Every <img> of the page in order, each URL once: the largest version named, wherever the page keeps it.
// Pictures that are written into the page as data: URLs only if asked for.
std::vector<Image> find_images(const html::Tree& tree, const url::Url* base,
                               DataImages data_images = DataImages::leave_out);

}  // namespace quarry::extract
