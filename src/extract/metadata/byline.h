// Who wrote a page and when, as said in its body. Asked only when the tags made for machines are silent, and
// answered only when the answer is likely to be about the page itself, not about a comment or another page.
#pragma once

#include <string>
#include <string_view>

#include "html/tree.h"

namespace quarry::extract {

// The author named by microdata, rel=author or the class of a byline; "" if there is none.
std::string author_in_body(const html::Tree& tree);

// When the page was published or changed: what microdata calls it ("datePublished", "dateModified"), as
// written; "" if there is none.
std::string_view date_by_microdata(const html::Tree& tree, std::string_view property);

// The datetime of the <time> that dates the page: marked as such, or in the section of the main heading; else
// the text of a short element near that heading whose class speaks of dates. "" if there is none.
std::string date_in_body(const html::Tree& tree);

// True inside comments, reviews, sidebars and lists of related pages, which have authors and dates of their
// own.
bool is_aside(const html::Tree& tree, html::NodeId id);

}  // namespace quarry::extract
