// The part of a chunk that shows best why it was found, and a chunk's markdown as one line of words, for a
// list of hits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "index/index.h"
#include "text/terms/terms.h"

namespace quarry::search {

// A chunk's markdown as one line of words, for a list of hits.

// Headings, lists, quotes, emphasis, links and fences lose their marks; code keeps every character; all white
// space becomes single spaces. Linear. Valid UTF-8 stays valid.
std::string plain_passage(std::string_view markdown);

// The part of a chunk that shows best why it was found.

// A part of a text to be shown, with what the query met in it.
struct Snippet {
    std::string text{};
    struct Range {
        std::uint32_t begin = 0, end = 0;  // in bytes
        friend bool operator==(const Range&, const Range&) = default;
    };
    std::vector<Range> marks{};  // in order, apart from each other
};

// About `columns` characters of the chunk's words, where most of the query's words meet; its beginning if
// none occurs. Begins and ends between words, with an ellipsis where something was left out. Linear; valid
// UTF-8 if the chunk is.
Snippet make_snippet(std::string_view markdown, const index::KeywordQuery& query, text::TermReader& reader,
                     int columns = 240);

}  // namespace quarry::search
