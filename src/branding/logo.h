// Which of a page's images is its logo, and which icon stands for it.
#pragma once

#include <string>
#include <vector>

#include "branding/facts.h"

namespace quarry::branding {

// The address of the image that is most likely the logo, by its place, its size, its words and where it
// leads. "" if none is likely to be.
std::string choose_logo(const std::vector<LogoCandidate>& candidates);

// The address of the icon of a browser's tab; of a phone's if there is none. "" if there is neither.
std::string choose_favicon(const std::vector<Icon>& icons);

}  // namespace quarry::branding
