// The pictures of a page.
#pragma once

#include <cstdint>
#include <vector>

#include "html/tree.h"
#include "model/document.h"
#include "url/url.h"

namespace quarry::extract {

enum class DataImages : std::uint8_t { leave_out, keep };

// Every <img> of the page in order, each URL once: the largest version named, wherever the page keeps it.
// Pictures that are written into the page as data: URLs only if asked for.
std::vector<Image> find_images(const html::Tree& tree, const url::Url* base,
                               DataImages data_images = DataImages::leave_out);

}  // namespace quarry::extract
