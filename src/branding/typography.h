// The fonts of a page, and how its text is set in them.
#pragma once

#include <boost/json/fwd.hpp>

#include "branding/facts.h"

namespace quarry::branding {

// [{"family": "Inter", "role": "body"}], those with most letters first. What the reader's machine has is none
// of the page's.
boost::json::array fonts_of(const Facts& facts);

// "fontFamilies", "fontStacks", "fontSizes", "lineHeights", "fontWeights", as far as they are known.
boost::json::object typography_of(const Facts& facts);

}  // namespace quarry::branding
