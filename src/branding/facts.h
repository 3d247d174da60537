// What a page was seen to look like, as the script in browser/page_scripts.h tells it. The script runs
// where the page's own have no say, but all that it sees is the page's: any text, any number, any amount.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "branding/color.h"

namespace quarry::branding {

// How some kind of text is set.
struct TextStyle {
    std::optional<Color> color{};
    std::string fonts{};  // the list of CSS: "Inter, sans-serif"
    double size = 0;      // pixels; 0 if not known
    double line_height = 0;
    int weight = 0;
};

// How much of the page's text has it.
struct Lettering {
    TextStyle style{};
    double letters = 0;
    bool is_link = false;
    bool is_heading = false;
};

// A button, or something to write into.
struct Control {
    std::optional<Color> background{}, text{}, border{};
    std::string radius{};    // as CSS has it: "8px"
    std::string shadow{};    // "" if it has none
    double area = 0;         // square pixels
    bool is_action = false;  // sends a form, or says that it is the one to press
};

// A colour that the page names itself: "--color-primary".
struct Variable {
    std::string name{};
    Color color{};
};

struct LogoCandidate {
    std::string url{};    // http, https or data:image/
    std::string words{};  // its class, id, alternative text and address, in lower case
    bool in_header = false, in_footer = false;
    bool leads_home = false;
    double left = 0, top = 0, width = 0, height = 0;
};

struct Icon {
    std::string relation{}, url{};
    double size = 0;  // of its edge in pixels; 0 if it is not said
};

struct Facts {
    std::string name{};  // what the site calls itself; "" if it does not
    std::optional<Color> background{}, header{}, theme{};
    TextStyle body{}, h1{}, h2{}, h3{}, small{}, code{};
    std::vector<Lettering> lettering{};
    std::vector<Control> buttons{}, inputs{};
    std::vector<Variable> variables{};
    std::vector<LogoCandidate> logos{};
    std::vector<Icon> icons{};
    std::string picture{};            // og:image
    std::vector<double> distances{};  // paddings, margins and gaps, in pixels
};

// Takes what has the form that it should have, up to a bounded amount, and leaves out the rest. Every text of
// it is valid UTF-8, every number finite and not negative, every address one of an image or of the web.
Facts read_facts(const boost::json::value& told);

}  // namespace quarry::branding
