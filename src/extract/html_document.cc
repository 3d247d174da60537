#include "extract/html_document.h"

#include <optional>

#include "extract/client_rendered.h"
#include "extract/content/main_content.h"
#include "extract/html_writer.h"
#include "extract/markdown/markdown.h"
#include "extract/metadata/images.h"
#include "extract/metadata/links.h"
#include "extract/metadata/metadata.h"
#include "extract/plain_text.h"
#include "extract/user_selectors.h"
#include "html/parser.h"
#include "text/language.h"

namespace quarry::extract {

namespace {

Result<Selection> select_content(const html::Tree& tree, const ExtractOptions& options) {
    const bool whole_page = options.full_page || !options.include_tags.empty();
    Selection selection = whole_page ? select_full_page(tree) : select_main_content(tree);
    if (!options.include_tags.empty()) TRY(keep_only(tree, options.include_tags, selection));
    if (!options.exclude_tags.empty()) TRY(drop_matches(tree, options.exclude_tags, selection));
    return selection;
}

bool has_words(const Document& document) {
    constexpr std::string_view blank = " \t\r\n";
    for (const std::string* form : {&document.markdown, &document.text, &document.html}) {
        if (form->find_first_not_of(blank) != std::string::npos) return true;
    }
    return false;
}

// A page without text of its own may hold it as data, or at least describe itself. False if it does neither,
// or if selectors asked for parts of the page proper.
bool recover_content(const html::Tree& tree, const url::Url* base, const ExtractOptions& options,
                     Document& document) {
    if (!options.include_tags.empty() || !options.exclude_tags.empty()) return false;
    std::string found = embedded_html(tree);
    const bool is_described = found.empty();
    if (is_described) found = described_html(tree);
    if (found.empty()) return false;
    const html::Tree recovered = html::parse(std::move(found));
    write_content(recovered, select_full_page(recovered), base, options, document);
    add_warning(document, is_described ? "this is only the page's description of itself"
                                       : "the text was read from the data for the page's scripts");
    return has_words(document);
}

std::unexpected<Error> no_text(ScriptMade made, const ExtractOptions& options) {
    if (made != ScriptMade::no) {
        return fail(ErrorCode::not_found,
                    "the page has no text: it is made by scripts, which were not run or not done");
    }
    if (!options.include_tags.empty() || !options.exclude_tags.empty()) {
        return fail(ErrorCode::not_found, "the page has no text in what the selectors leave of it");
    }
    return fail(ErrorCode::not_found, "the page has no text");
}

void add_warnings(const html::Tree& tree, const html::Decoded& decoded, ScriptMade made, Document& document) {
    const html::LimitsHit hit = tree.limits_hit();
    if (hit.bytes) add_warning(document, "the page is too large: its end was cut off");
    if (hit.depth || hit.nodes)
        add_warning(document, "the page nests deeper or holds more than any page needs");
    if (decoded.had_errors) {
        add_warning(document, "some characters could not be read as " + std::string(decoded.encoding));
    }
    if (made != ScriptMade::no) add_warning(document, "most of the page's text seems to be made by scripts");
}

}  // namespace

Result<Document> html_document(const Page& page, html::Decoded decoded, const ExtractOptions& options) {
    Document document{.url = page.final_url};
    if (options.formats.raw_html) document.raw_html = decoded.text;
    const html::Tree tree = html::parse(std::move(decoded.text));
    const std::optional<url::Url> base_found = base_url(tree, page.final_url);
    const url::Url* base = base_found ? &*base_found : nullptr;

    const bool wants_content = options.formats.wants_content();
    const Selection selection = wants_content ? TRY(select_content(tree, options)) : Selection(tree, false);
    write_forms(tree, selection, base, options, document);
    const ScriptMade made = options.is_rendered ? ScriptMade::no : made_by_scripts(tree);
    document.made_by_scripts = made != ScriptMade::no;
    const bool is_empty = !has_words(document) || made == ScriptMade::entirely;
    std::optional<Error> no_words;
    if (wants_content && is_empty && !recover_content(tree, base, options, document)) {
        no_words = no_text(made, options).error();
        if (options.when_empty == WhenEmpty::fail) return std::unexpected(*no_words);
    }

    document.attributes = TRY(read_attributes(tree, options.attributes));
    if (options.formats.metadata) document.metadata = read_metadata(tree, base, page.headers);
    detect_missing_language(options, document);
    add_warnings(tree, decoded, made, document);
    if (no_words) document.warning = document.no_text = no_words->message;
    return document;
}

void write_content(const html::Tree& tree, const Selection& selection, const url::Url* base,
                   const ExtractOptions& options, Document& document) {
    const Formats& formats = options.formats;
    const bool keep_data = options.keep_data_images;
    if (formats.markdown) {
        document.markdown = to_markdown(tree, selection, {.base = base, .keep_data_images = keep_data});
    }
    if (formats.html) {
        document.html = to_clean_html(tree, selection, {.base = base, .keep_data_images = keep_data});
    }
    if (formats.text) document.text = to_plain_text(tree, selection);
}

void write_forms(const html::Tree& tree, const Selection& selection, const url::Url* base,
                 const ExtractOptions& options, Document& document) {
    write_content(tree, selection, base, options, document);
    if (options.formats.links) {
        document.links = find_links(tree, base);
        document.frames = find_frames(tree, base);
        document.feeds = find_feeds(tree, base);
    }
    if (options.formats.images) {
        const auto data_images = options.keep_data_images ? DataImages::keep : DataImages::leave_out;
        document.images = find_images(tree, base, data_images);
    }
}

void detect_missing_language(const ExtractOptions& options, Document& document) {
    if (!options.formats.metadata || !document.metadata.language.empty()) return;
    const std::string& sample = document.text.empty() ? document.markdown : document.text;
    document.metadata.language =
        text::detect_language(sample.empty() ? document.metadata.description : sample);
}

void add_warning(Document& document, std::string_view sentence) {
    if (!document.warning.empty()) document.warning += "; ";
    document.warning += sentence;
}

}  // namespace quarry::extract
