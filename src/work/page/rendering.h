// What a browser has to do with a page of a crawl: whether it is asked, what becomes of a page that it could
// not show, and what is kept besides the words of one that it did.
#pragma once

#include <optional>
#include <string>

#include <boost/json.hpp>

#include "model/document.h"
#include "store/outcome.h"
#include "work/page/fetch_page.h"

namespace quarry::work {

// Before it is read: the crawl wants every page shown.
bool must_be_shown(const FetchedUrl& fetched);

// After it was read: it is made by scripts, and the crawl wants such pages shown. Each page is judged by
// itself: one that is made by scripts says nothing about the others of its site.
bool is_better_shown(const FetchedUrl& fetched, const Document& document);

// What becomes of a page that the browser could not show. Nothing if it was not asked or could, or if the
// page as the server sent it will do.
std::optional<store::Outcome> browser_failure(const FetchedUrl& fetched, Timestamp now);

// Adds what the browser had to say: that it failed, or what it cut short.
void warn_of_browser(const FetchedUrl& fetched, Document& document);

struct ShownParts {
    // "media": who has which token, "actions": what scripts and scrapes gave, "branding": how it looks
    boost::json::object details{};
    std::string media{};  // as model/media.h packs them
};
ShownParts shown_parts(const FetchedUrl& fetched);

}  // namespace quarry::work
