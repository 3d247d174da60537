// Who wrote a page and when, as said in its body: microdata, rel=author, bylines and <time>. Asked only when
// the tags made for machines are silent, and answered only when the answer is likely to be about the page
// itself.
#pragma once

#include <string>
#include <string_view>

#include "html/tree.h"

namespace quarry::extract {

// The name, or names, out of a line such as "By Ann Lee | 5 March"; "" if it does not look like a name.
std::string author_name(std::string_view text);

// The author named by itemprop, rel=author or a byline's class; "" if there is none.
std::string author_in_body(const html::Tree& tree);

// The value of itemprop="…" (datePublished, dateModified), as written; "" if there is none.
std::string_view date_by_itemprop(const html::Tree& tree, std::string_view property);

// The datetime of the <time> that dates the page: marked as such, or beside the main heading; "" if there is
// none.
std::string_view date_by_time_element(const html::Tree& tree);

}  // namespace quarry::extract
