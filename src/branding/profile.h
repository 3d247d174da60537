// How a page looks, in the words of Firecrawl's format `branding`: colours, fonts, sizes, buttons, logo.
#pragma once

#include <boost/json/fwd.hpp>

namespace quarry::branding {

// From what the script in browser/page_scripts.h tells, which may be anything. Pure, and no model is
// asked: what is not seen on the page is left out, and so is what only a model could say (tone, personality).
// Colours are #RRGGBB, lengths "16px".
boost::json::object profile_of(const boost::json::value& told);

}  // namespace quarry::branding
