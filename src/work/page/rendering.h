// The browser's part in a page: what the browser is asked, for a scrape or for a page of a crawl, and how
// the page it shows replaces what the server sent.
// For pages of crawls: whether the browser is asked at all, what becomes of a page that it could not show,
// and what is kept beside the words of one that it did.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "base/result.h"
#include "browser/pool.h"
#include "browser/request.h"
#include "model/document.h"
#include "model/page.h"
#include "model/page_options.h"
#include "net/address_policy.h"
#include "store/outcome.h"
#include "url/url.h"
#include "work/page/fetch_page.h"

namespace quarry::work {

// A page as it stands in a browser, in the place of what the server sent.

// What is asked of the browser, whichever page it is.
struct RenderWish {
    net::AddressPolicy policy{};
    std::string user_agent{};                     // put behind the browser's own name
    std::chrono::milliseconds page_time{30'000};  // what is waited for on purpose comes on top
    std::chrono::milliseconds wait_for{0};
    bool mobile = false;
    bool block_ads = true;
    std::vector<Action> actions{};
    bool branding = false;
    std::optional<PictureWish> picture{};
};

// Pictures and fonts are loaded only for those who will see them; for branding, pictures, which have sizes.
browser::RenderRequest render_request(url::Url url, std::vector<Header> headers, const RenderWish& wish);

// Takes the document out of it; what else came of it stays.
Page take_page(const url::Url& url, browser::Rendered& rendered);

// What a browser has to do with a page of a crawl: whether it is asked, what becomes of a page that it could
// not show, and what is kept besides the words of one that it did.

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
    std::string media{};  // as model/stored_page.h packs them
};
ShownParts shown_parts(const FetchedUrl& fetched);

// Shows pages of crawls to the browser of this process.

struct RenderTools {
    // The browser, which outlives the engine. Fails, in a sentence that says what to install, where there is
    // none. Nothing: pages are not rendered here.
    std::function<Result<browser::Pool*>()> open_browser{};
    int pages_at_once = 4;
    std::string user_agent{};
    std::chrono::milliseconds page_time{30'000};
};

class Renderer {
public:
    Renderer(RenderTools tools, std::stop_token abort) : tools_(std::move(tools)), abort_(std::move(abort)) {}

    // Sets `shown`, and the page to what the browser has, if it has it. Any thread.
    void show(FetchedUrl& fetched);

private:
    Result<browser::Rendered> shown(FetchedUrl& fetched);

    const RenderTools tools_;
    const std::stop_token abort_;
};

}  // namespace quarry::work
