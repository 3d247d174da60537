// Who wrote a page and when, as its body says it, and names of authors out of the values and lines in which
// pages put them. The body is read only when the tags made for machines are silent. It answers only when
// the answer is likely to be about the page itself, not about a comment or another page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "html/tree.h"

namespace quarry::extract {

// Names of authors out of the values and lines in which pages put them.

enum class NameSource : std::uint8_t {
    value,   // stated as a name: only "By" is taken off
    byline,  // a line for readers: also "Von", "Par", "Written by" …, which could begin a name as well
};

// "Ann Lee" of "By Ann Lee | 5 March 2024"; "" if it does not look like a name: a URL, an address, a number,
// a sentence. Several people stay as they are written.
std::string author_name(std::string_view text, NameSource source = NameSource::value);

// Who wrote a page and when, as said in its body. Asked only when the tags made for machines are silent, and
// answered only when the answer is likely to be about the page itself, not about a comment or another page.

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
