// Which URLs are the same page. A crawl remembers a URL by 128 bits of its canonical form, folded further as
// its options ask. What is fetched stays the URL as it was found, without its fragment: only the key folds,
// so that a wrong guess costs a page and never asks a server for something that nobody linked to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "crawl/options/options.h"
#include "model/frontier.h"
#include "url/url.h"

namespace quarry::crawl {

struct IdentityRules {
    bool ignore_query = false;
    // http and https, www., index.html (index.htm, index.php, default.aspx), slashes doubled or at the end,
    // and session ids make no difference. Letter case in paths and the order of parameters do.
    bool fold_similar = true;
    // Pages that were named are read as their reader wishes: read otherwise, the same page is another one.
    // 0 for those of crawls.
    std::uint64_t reading = 0;
};

IdentityRules identity_rules(const CrawlOptions& options);

// The XXH3 hash of url::canonical() after the rules. Fragments never count, not even those that are routes
// (`#/a`): over HTTP they are one page. Allocates nothing for URLs without percent-encoding.
UrlKey url_key(const url::Url& url, const IdentityRules& rules);

// Of a document that was written, not fetched: its address is a name, and is taken as it is.
UrlKey document_key(std::string_view url);
// What a crawl keeps of a URL, fetches and shows: all but the fragment, which no server sees, and user name
// and password, which are for nobody's eyes (work::CrawlContext sends those of the start pages).
std::string kept_url(const url::Url& url);

// "docs.example.com", or "docs.example.com:8080" if the port is not the scheme's own: what politeness is kept
// for. http and https of one host share it, because they share a server.
std::string host_key(const url::Url& url);

// Without "www." in front, if a name with a dot is left.
std::string_view without_www(std::string_view host);

// Whether a parameter only says who is visiting. Names that others use as well, such as `sid`, count only
// with a value that looks like a session's: 16 letters and digits or more.
bool is_session_parameter(std::string_view name, std::string_view value);

}  // namespace quarry::crawl
