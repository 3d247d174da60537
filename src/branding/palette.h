// Which of a page's colours are its brand's. Nothing says so: it is judged by what they are used for.
#pragma once

#include <optional>

#include "branding/color.h"
#include "branding/facts.h"

namespace quarry::branding {

struct Palette {
    Color background = white;
    std::optional<Color> primary{}, secondary{}, accent{};
    std::optional<Color> text_primary{}, text_secondary{}, link{};
    // Only where the page names colours of its own so.
    std::optional<Color> success{}, warning{}, error{};
};

// The primary colour is what is pressed: that of buttons first, then of links, of the head of the page, and
// the one that the page tells phones; vivid ones before greys. A name that the page gives it ("--brand") says
// more only for a colour that is also used, as frameworks name colours which nobody does.
Palette palette_of(const Facts& facts);

}  // namespace quarry::branding
