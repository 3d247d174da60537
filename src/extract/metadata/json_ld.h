// The JSON-LD that pages carry for search engines: often the best account of who wrote what when.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::extract {

// What the scripts say about the page itself, not about its comments, its breadcrumbs or its logo.
struct StructuredFacts {
    std::string headline{};
    std::string description{};
    std::string author{};        // people; several are joined with ", "
    std::string organisation{};  // named as author instead of people
    std::string published{};
    std::string modified{};
    std::string language{};
    std::string site_name{};
    std::string image{};
};

struct JsonLd {
    std::vector<std::string>
        texts{};  // the scripts that are valid JSON, as found, without comments around them
    StructuredFacts facts{};
};

// Reads the contents of JSON-LD scripts. What is not valid JSON, nested deeper than 32, or beyond the bounds
// on size and count is left out; it never fails.
JsonLd read_json_ld(std::span<const std::string_view> scripts);

}  // namespace quarry::extract
