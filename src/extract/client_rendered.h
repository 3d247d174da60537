// Pages whose words a browser would have to write: how to tell that a page is empty until its scripts have
// run, and the text that such a page carries as data. Forums, shops and generated documentation often ship
// their words as JSON in a script or an attribute; no script has to run to read them there.
#pragma once

#include <cstdint>
#include <string>

#include "html/tree.h"

namespace quarry::extract {

// Text that a page carries only as data for its scripts. Forums, shops and documentation made by programs
// often ship their words as JSON in a script or an attribute, for the browser to write; no script has to run
// to read them there.

// The page's prose from its JSON data, as HTML in the order in which it stands there; "" if there is none
// worth the name. Among all members of the data the one that holds the most prose is taken (the `cooked` of
// every post, the `body` of an article), and nothing beside it: labels, excerpts and settings are data too.
// Bounded in size and depth.
std::string embedded_html(const html::Tree& tree);

// The page's title and its description of itself, as HTML: the last resort. "" without a description.
std::string described_html(const html::Tree& tree);

// Pages that are empty until a browser has run their scripts.

enum class ScriptMade : std::uint8_t {
    no,
    mostly,    // next to no text of its own
    entirely,  // no text of its own at all
};

// A page is made by scripts if it loads some, shows next to no text, and either has an element without any
// where a program will put the text, or says in <noscript> that it needs JavaScript. Such words are not its
// own text. Linear.
ScriptMade made_by_scripts(const html::Tree& tree);

}  // namespace quarry::extract
