// Text that a page carries only as data for its scripts. Forums, shops and documentation made by programs
// often ship their words as JSON in a script or an attribute, for the browser to write; no script has to run
// to read them there.
#pragma once

#include <string>

#include "html/tree.h"

namespace quarry::extract {

// The page's prose from its JSON data, as HTML in the order in which it stands there; "" if there is none
// worth the name. Among all members of the data the one that holds the most prose is taken (the `cooked` of
// every post, the `body` of an article), and nothing beside it: labels, excerpts and settings are data too.
// Bounded in size and depth.
std::string embedded_html(const html::Tree& tree);

// The page's title and its description of itself, as HTML: the last resort. "" without a description.
std::string described_html(const html::Tree& tree);

}  // namespace quarry::extract
