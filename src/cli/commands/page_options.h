// The flags of commands that fetch pages: which URLs (arguments first, then the lines of a file), which
// headers go along, which parts of a page are kept in which forms, and what a crawl collects and how.
// What is typed as --header or --cookie becomes headers that are safe to send.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "app/settings/settings.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/parser.h"
#include "crawl/options/options.h"
#include "extract/extract.h"
#include "model/document.h"
#include "model/page.h"

namespace quarry::cli {

// The URLs of a command: its arguments first, then the lines of a file.

// Blank lines and lines that begin with '#' are skipped, spaces at the ends trimmed. "-" reads standard
// input. Fails with "File not found: …", or with `invalid_argument`: "No URLs provided" when nothing is left,
// "Invalid URL …" when none of them is one. One that is none among others fails when its turn comes.
Result<std::vector<std::string>> gather_urls(const std::vector<std::string>& arguments,
                                             const std::string& file);

// --header and --cookie, as typed, to headers that are safe to send.

struct HeaderOptions {
    std::vector<std::string> headers{};  // "Name: value"
    std::vector<std::string> cookies{};  // "name=value"
};

// Adds the flags; `options` must outlive the parser.
void add_header_options(Parser& parser, HeaderOptions& options);

// Fails with `invalid_argument` on a header without a colon or one that could smuggle in another.
Result<std::vector<Header>> request_headers(const HeaderOptions& options);

// The same for a command of this machine that begins at these URLs: with the Authorization of
// fetch.basic_auth or fetch.bearer_token, unless one was typed. If the URLs are of several origins it is sent
// to none, which is said.
Result<std::vector<Header>> request_headers(const HeaderOptions& options, const app::Settings& settings,
                                            std::span<const std::string> urls);

// The options that `scrape` and `convert` share: which parts of a page, and in which forms.

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

// The flags of `crawl` that say what to crawl and how.

struct CrawlFlags {
    std::vector<std::string> targets{};  // URLs, or the ids of crawls
    std::string file{};
    int depth = -1;
    std::vector<std::string> include{}, exclude{};
    bool regex_on_full_url = false, entire_domain = false, subdomains = false, external = false;
    std::string sitemap = "include";
    bool ignore_query = false, no_deduplicate_similar = false, only_these = false;
    int max_concurrency = 0;
    bool ignore_robots = false;
    HeaderOptions headers{};
    std::string formats{};  // "" for the default: markdown and metadata
    bool full_page = false;
    std::vector<std::string> include_tags{}, exclude_tags{};
    std::string wait_for{};  // "" for no time
    bool mobile = false;
    std::string collection = "default", priority = "normal";
    bool no_embed = false, exclusive = false, go_on = false, prune = false, no_refresh = false;
    bool zero_retention = false;
    std::string webhook{};  // a URL, or JSON as the API takes it
};

// Adds the flags; `flags` must outlive the parser.
void add_crawl_flags(CommandBuilder& builder, Parser& parser, CrawlFlags& flags);

// Everything that can be wrong with them is found here: `invalid_argument`.
Result<crawl::CrawlOptions> crawl_options(const CommandContext& session, const CrawlFlags& flags);

}  // namespace quarry::cli
