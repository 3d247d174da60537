// JSON-LD as items: every node of every script, with references inside the page put in place.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "extract/structured/page_data.h"

namespace quarry::structured {

// `texts` are valid JSON (extract/metadata/json_ld.h). Of vocabularies only the local names are kept. Nodes of
// "@graph" and of lists are items of their own; a node that only names another by "@id" is replaced by it, a
// few levels deep.
std::vector<Item> read_linked_data(std::span<const std::string> texts);

}  // namespace quarry::structured
