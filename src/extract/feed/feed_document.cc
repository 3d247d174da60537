#include "extract/feed/feed_document.h"

#include "extract/metadata/base_url.h"
#include "extract/metadata/dates.h"
#include "extract/feed/parser.h"
#include "extract/feed/document.h"
#include "extract/html_document.h"
#include "extract/content/extract_main_content.h"
#include "extract/metadata/robots_directives.h"
#include "extract/user_selectors.h"
#include "html/parser.h"
#include "text/language.h"

namespace quarry::extract {

namespace {

Metadata metadata_of(const Feed& feed, const Page& page, const url::Url* base) {
    Metadata metadata;
    metadata.title = feed.title;
    metadata.description = feed.description;
    metadata.language = text::normalise_language_tag(feed.language);
    metadata.modified = iso_date(feed.updated).value_or(std::string{});
    metadata.site_name = feed.title;
    if (base != nullptr) metadata.favicon = absolute_url("/favicon.ico", base);
    add_robots_headers(page.headers, metadata.robots);
    return metadata;
}

}  // namespace

Result<Document> feed_document(const Page& page, const ExtractOptions& options) {
    const Feed feed = TRY(parse_feed(page.body));
    const auto own_url = url::Url::parse(page.final_url);
    const url::Url* base = own_url ? &*own_url : nullptr;
    const html::Tree tree = html::parse(to_html(feed, base));
    // All of a feed is content: what boilerplate there is, is inside the texts.
    Selection selection = select_full_page(tree);
    if (!options.include_tags.empty()) TRY(keep_only(tree, options.include_tags, selection));
    if (!options.exclude_tags.empty()) TRY(drop_matches(tree, options.exclude_tags, selection));

    Document document{.url = page.final_url};
    if (options.formats.raw_html) document.raw_html = page.body;
    write_forms(tree, selection, base, options, document);
    if (options.formats.metadata) document.metadata = metadata_of(feed, page, base);
    detect_missing_language(options, document);
    if (feed.is_cut) add_warning(document, "the feed is broken or too long: only its first part was read");
    return document;
}

}  // namespace quarry::extract
