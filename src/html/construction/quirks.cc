#include "html/construction/quirks.h"

#include <algorithm>

#include "base/ascii.h"
#include "html/characters.h"

namespace quarry::html {

namespace {

constexpr std::string_view quirky_prefixes[] = {
    "+//silmaril//dtd html pro v0r11 19970101//",
    "-//as//dtd html 3.0 aswedit + extensions//",
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
    "-//ietf//dtd html 2.0 level 1//",
    "-//ietf//dtd html 2.0 level 2//",
    "-//ietf//dtd html 2.0 strict level 1//",
    "-//ietf//dtd html 2.0 strict level 2//",
    "-//ietf//dtd html 2.0 strict//",
    "-//ietf//dtd html 2.0//",
    "-//ietf//dtd html 2.1e//",
    "-//ietf//dtd html 3.0//",
    "-//ietf//dtd html 3.2 final//",
    "-//ietf//dtd html 3.2//",
    "-//ietf//dtd html 3//",
    "-//ietf//dtd html level 0//",
    "-//ietf//dtd html level 1//",
    "-//ietf//dtd html level 2//",
    "-//ietf//dtd html level 3//",
    "-//ietf//dtd html strict level 0//",
    "-//ietf//dtd html strict level 1//",
    "-//ietf//dtd html strict level 2//",
    "-//ietf//dtd html strict level 3//",
    "-//ietf//dtd html strict//",
    "-//ietf//dtd html//",
    "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer 2.0 html strict//",
    "-//microsoft//dtd internet explorer 2.0 html//",
    "-//microsoft//dtd internet explorer 2.0 tables//",
    "-//microsoft//dtd internet explorer 3.0 html strict//",
    "-//microsoft//dtd internet explorer 3.0 html//",
    "-//microsoft//dtd internet explorer 3.0 tables//",
    "-//netscape comm. corp.//dtd html//",
    "-//netscape comm. corp.//dtd strict html//",
    "-//o'reilly and associates//dtd html 2.0//",
    "-//o'reilly and associates//dtd html extended 1.0//",
    "-//o'reilly and associates//dtd html extended relaxed 1.0//",
    "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
    "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
    "-//spyglass//dtd html 2.0 extended//",
    "-//sun microsystems corp.//dtd hotjava html//",
    "-//sun microsystems corp.//dtd hotjava strict html//",
    "-//w3c//dtd html 3 1995-03-24//",
    "-//w3c//dtd html 3.2 draft//",
    "-//w3c//dtd html 3.2 final//",
    "-//w3c//dtd html 3.2//",
    "-//w3c//dtd html 3.2s draft//",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html experimental 19960712//",
    "-//w3c//dtd html experimental 970421//",
    "-//w3c//dtd w3 html//",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//dtd mozilla html 2.0//",
    "-//webtechs//dtd mozilla html//",
};

}  // namespace

Quirks quirks_of(const Doctype& doctype) {
    const std::string_view public_id = doctype.public_id.value_or("");
    const std::string_view system_id = doctype.system_id.value_or("");
    const auto is_public = [&](std::string_view lower) { return equals_ignoring_case(public_id, lower); };
    const auto begins = [&](std::string_view lower) { return starts_with_ignoring_case(public_id, lower); };
    const bool is_html_401 =
        begins("-//w3c//dtd html 4.01 frameset//") || begins("-//w3c//dtd html 4.01 transitional//");
    if (doctype.force_quirks || doctype.name != "html" || is_public("-//w3o//dtd w3 html strict 3.0//en//") ||
        is_public("-/w3c/dtd html 4.0 transitional/en") || is_public("html") ||
        equals_ignoring_case(system_id, "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd") ||
        std::ranges::any_of(quirky_prefixes, begins) || (is_html_401 && !doctype.system_id)) {
        return Quirks::full;
    }
    const bool is_xhtml =
        begins("-//w3c//dtd xhtml 1.0 frameset//") || begins("-//w3c//dtd xhtml 1.0 transitional//");
    return is_xhtml || is_html_401 ? Quirks::limited : Quirks::none;
}

}  // namespace quarry::html
