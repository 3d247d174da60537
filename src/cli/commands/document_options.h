// The options that `scrape` and `convert` share: which parts of a page, and in which forms.
#pragma once

#include <string>
#include <vector>

#include <boost/json.hpp>

#include "base/result.h"
#include "cli/parser.h"
#include "extract/extract.h"
#include "model/document.h"

namespace quarry::cli {

struct DocumentOptions {
    std::string formats = "markdown";
    bool full_page = false;
    bool keep_data_images = false;
    std::vector<std::string> include_tags{}, exclude_tags{};
};

// Adds the flags; `options` must outlive the parser.
void add_document_options(Parser& parser, DocumentOptions& options);

// Fails with `invalid_argument` on unknown formats or broken selectors, before anything is fetched.
Result<extract::ExtractOptions> extract_options(const DocumentOptions& options);

// How a document goes to standard output or a file without --json: the one form that was asked for, as it is
// (links and images one a line). Several forms, or metadata, make a JSON object. How the page looks, which is
// no part of the document, is one too.
std::string plain_output(const Document& document, const Formats& formats,
                         const boost::json::object& branding = {});
// ".md", ".html", ".txt" or ".json", after the same rule.
std::string file_extension(const Formats& formats);

}  // namespace quarry::cli
