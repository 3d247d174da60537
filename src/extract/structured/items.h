// The readers of items. read_linked_data reads JSON-LD and puts references inside the page in place.
// read_microdata and read_rdfa read items that are marked up in the page's own elements. read_tables reads
// tables whose headers name fields.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "extract/structured/page_data.h"
#include "html/tree.h"
#include "url/url.h"

namespace quarry::structured {

// Items that are marked up in the page's own elements: microdata and RDFa Lite. Both open an item at an
// element, name fields on elements inside it, and differ in the attributes they use.

// Top-level items in page order. References (`itemref`) are followed once for each element. URLs are made
// absolute against `base`, which may be null.
std::vector<Item> read_microdata(const html::Tree& tree, const url::Url* base);
std::vector<Item> read_rdfa(const html::Tree& tree, const url::Url* base);

// JSON-LD as items: every node of every script, with references inside the page put in place.

// `texts` are valid JSON (extract/metadata/json_ld.h). Of vocabularies only the local names are kept. Nodes
// of
// "@graph" and of lists are items of their own; a node that only names another by "@id" is replaced by it, a
// few levels deep.
std::vector<Item> read_linked_data(std::span<const std::string> texts);

// Tables as records: what the headers name is a field.

// An item for each row below a row of headers, for each column beside a column of headers, and for each
// definition list. Tables without headers, and tables that only place things, name no fields and are left
// out.
std::vector<Item> read_tables(const html::Tree& tree);

}  // namespace quarry::structured
