// A chunk's markdown as one line of words, for a list of hits.
#pragma once

#include <string>
#include <string_view>

namespace quarry::search {

// Headings, lists, quotes, emphasis, links and fences lose their marks; code keeps every character; all white
// space becomes single spaces. Linear. Valid UTF-8 stays valid.
std::string plain_passage(std::string_view markdown);

}  // namespace quarry::search
