// What can be asked of a page in a browser, and what comes of it: values only.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "model/page.h"
#include "model/page_options.h"
#include "net/address_policy.h"
#include "url/url.h"

namespace quarry::browser {

using quarry::Action;
using quarry::largest_viewport;
using quarry::most_actions;
using quarry::PdfWish;
using quarry::PictureKind;
using quarry::PictureWish;
using quarry::Viewport;

enum class WaitFor : std::uint8_t {
    load,          // everything that the page itself names is there
    quiet,         // and then nothing has changed for a moment, neither on the wire nor in the page
    network_idle,  // and then nothing was on the wire for half a second
};

// What the page does without. Blocked requests cost nothing.
struct Blocked {
    bool ads = true, fonts = false, media = true, images = false;
};

struct PageLimits {
    std::chrono::milliseconds time{30'000};  // for everything, from the first request to the last picture
    std::size_t requests = 1'000;
    std::uint64_t bytes = std::uint64_t{200} << 20;   // on the wire, both ways
    std::size_t html_bytes = std::size_t{32} << 20;   // of the document
    std::size_t result_bytes = std::size_t{1} << 20;  // of what a script gives back
};

struct RenderRequest {
    url::Url url;
    std::vector<Header> headers{};  // sent to the URL's own origin only; a Cookie header becomes cookies
    net::AddressPolicy policy{};
    Viewport viewport{};
    bool mobile = false;
    std::string locale{};      // "de-DE"; "" for the browser's own
    std::string user_agent{};  // put behind the browser's own: "quarry/0.2"
    WaitFor wait_for = WaitFor::quiet;
    std::string wait_selector{};             // and until there is such an element
    std::chrono::milliseconds wait_time{0};  // and this long
    Blocked blocked{};
    std::vector<Action> actions{};
    bool html = true;
    bool branding = false;  // facts about how it looks
    std::optional<PictureWish> picture{};
    std::optional<PdfWish> pdf{};
    PageLimits limits{};
    std::stop_token stop{};
};

struct Scraped {
    std::string url{}, html{};
};

struct Rendered {
    std::string final_url{};
    int status = 0;
    std::vector<Header> headers{};
    std::string html{};  // with the open shadow roots in their places
    std::string picture{}, pdf{};
    boost::json::value branding{};  // as branding/facts.h reads them; null if nobody asked

    // Of the actions, each in its order.
    std::vector<std::string> pictures{}, pdfs{};
    std::vector<Scraped> scrapes{};
    std::vector<boost::json::value> script_results{};

    std::string warning{};  // what was cut short; "" if nothing was
    std::size_t requests = 0;
    std::uint64_t bytes = 0;
};

}  // namespace quarry::browser
