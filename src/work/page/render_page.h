// A page as it stands in a browser, in the place of what the server sent.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "browser/request.h"
#include "model/page_options.h"
#include "model/page.h"
#include "net/address_policy.h"
#include "url/url.h"

namespace quarry::work {

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

}  // namespace quarry::work
