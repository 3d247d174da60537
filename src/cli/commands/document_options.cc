#include "cli/commands/document_options.h"

#include <boost/json.hpp>

#include "html/selector/html_selector.h"
#include "model/json/document_json.h"
#include "model/json/readable.h"

namespace quarry::cli {
namespace {

// How many forms were asked for. Metadata comes along with the default and does not count next to another
// one.
int forms_in(const Formats& formats) {
    return formats.markdown + formats.html + formats.raw_html + formats.text + formats.links + formats.images;
}

bool is_single_form(const Formats& formats) {
    return forms_in(formats) == 1 && !formats.branding;
}

boost::json::object as_object(const Document& document, const Formats& formats,
                              const boost::json::object& branding) {
    boost::json::object object = to_json(document, formats);
    if (formats.branding) object["branding"] = branding;
    return object;
}

template <typename Item>
std::string one_url_a_line(const std::vector<Item>& items) {
    std::string lines;
    for (const Item& item : items) lines += item.url + "\n";
    return lines;
}

}  // namespace

void add_document_options(Parser& parser, DocumentOptions& options) {
    parser.add_option("--formats,--format", options.formats,
                      "What to print: markdown,html,rawHtml,links,images,text,metadata (markdown)");
    parser.add_flag("--full-page", options.full_page, "Keep navigation, banners and footers");
    // One value per flag, or "--include-tags main https://…" would swallow the URL.
    parser.add_option("--include-tags", options.include_tags, "CSS selectors: keep only what is inside them");
    parser.add_option("--exclude-tags", options.exclude_tags, "CSS selectors: leave out what is inside them");
    parser.add_flag("--keep-data-images", options.keep_data_images,
                    "Keep images that are embedded as base64");
}

Result<extract::ExtractOptions> extract_options(const DocumentOptions& options) {
    extract::ExtractOptions result{.formats = TRY(parse_formats(options.formats)),
                                   .full_page = options.full_page,
                                   .include_tags = options.include_tags,
                                   .exclude_tags = options.exclude_tags,
                                   .keep_data_images = options.keep_data_images};
    for (const auto& list : {options.include_tags, options.exclude_tags})
        for (const std::string& selector : list) TRY(html::parse_selectors(selector));
    return result;
}

std::string plain_output(const Document& document, const Formats& formats,
                         const boost::json::object& branding) {
    const bool is_branding_alone = formats.branding && forms_in(formats) == 0 && !formats.metadata;
    if (is_branding_alone) return readable_json(branding, Layout::indented) + "\n";
    if (!is_single_form(formats)) return readable_json(as_object(document, formats, branding)) + "\n";
    if (formats.links) return one_url_a_line(document.links);
    if (formats.images) return one_url_a_line(document.images);
    if (formats.html) return document.html;
    if (formats.raw_html) return document.raw_html;
    return formats.text ? document.text : document.markdown;
}

std::string file_extension(const Formats& formats) {
    if (!is_single_form(formats)) return ".json";
    if (formats.markdown) return ".md";
    return formats.html || formats.raw_html ? ".html" : ".txt";
}

}  // namespace quarry::cli
