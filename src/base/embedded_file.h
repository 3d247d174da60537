// A file that the program carries inside itself (cmake/embed_files.cmake).
#pragma once

#include <span>
#include <string_view>

namespace quarry {

struct EmbeddedFile {
    std::string_view path;  // within its folder: "crawl/scope.html"
    std::string_view content;
};

}  // namespace quarry
