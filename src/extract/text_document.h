// What is text already, as documents: plain text, markdown and JSON. Here too are the parts that only they
// need: the front matter that static site generators put before markdown, and JSON in lines that people can
// read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "extract/extract.h"
#include "html/encoding/encoding.h"
#include "model/document.h"
#include "model/page.h"

namespace quarry::extract {

// The block of facts that static site generators put before the markdown of a page.

struct FrontMatter {
    std::vector<NamedValue> fields{};  // names in lower case; a list's items are joined with ", "
    std::string_view body{};           // the text after the block; all of it if there is none
};

// Reads the block between two lines of `---` (YAML) or `+++` (TOML) at the very start. Of the two languages
// only what such blocks hold is understood: `name: value`, quoted strings, lists, and one level of nesting
// (`author.name`). A block that is not closed, or is larger than any honest one, is text.
FrontMatter read_front_matter(std::string_view text);

// JSON answers as documents.

// The same JSON with one member a line, indented by two. Only white space changes: numbers, escapes and the
// order of members stay as they were sent. What is not valid JSON, large or deeply nested comes back as it
// is.
std::string pretty_json(std::string_view text);

// A markdown code block of this language around the text, with a fence that the text cannot close.
std::string fenced(std::string_view text, std::string_view language);

// What is text already: plain text, markdown and JSON as documents.

// The text as it is. Its title is its first line if that reads like one, else the last part of the URL.
Result<Document> plain_document(const Page& page, const html::Decoded& decoded,
                                const ExtractOptions& options);

// The markdown as it is, without front matter, which becomes metadata. Its title is stated there, or is the
// first heading. Its links and images are read from it.
Result<Document> markdown_document(const Page& page, const html::Decoded& decoded,
                                   const ExtractOptions& options);

// One code block, indented if that is cheap.
Result<Document> json_document(const Page& page, const html::Decoded& decoded, const ExtractOptions& options);

}  // namespace quarry::extract
