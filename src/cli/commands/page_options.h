// The flags of `crawl` that say what to crawl and how.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "cli/commands/request_headers.h"
#include "crawl/options/options.h"

namespace quarry::cli {

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
Result<crawl::CrawlOptions> crawl_options(const Session& session, const CrawlFlags& flags);

}  // namespace quarry::cli
