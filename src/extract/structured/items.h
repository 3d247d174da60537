// Items that are marked up in the page's own elements: microdata and RDFa Lite. Both open an item at an
// element, name fields on elements inside it, and differ in the attributes they use.
#pragma once

#include <vector>

#include "extract/structured/page_data.h"
#include "html/tree.h"
#include "url/url.h"

namespace quarry::structured {

// Top-level items in page order. References (`itemref`) are followed once for each element. URLs are made
// absolute against `base`, which may be null.
std::vector<Item> read_microdata(const html::Tree& tree, const url::Url* base);
std::vector<Item> read_rdfa(const html::Tree& tree, const url::Url* base);

}  // namespace quarry::structured
