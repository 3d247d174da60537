#include "work/page/render_page.h"

#include <algorithm>

namespace quarry::work {
namespace {

bool is_looked_at(const RenderWish& wish) {
    return wish.picture || std::ranges::any_of(wish.actions, [](const Action& action) {
               return action.kind == Action::Kind::picture || action.kind == Action::Kind::pdf;
           });
}

}  // namespace

browser::RenderRequest render_request(url::Url url, std::vector<Header> headers, const RenderWish& wish) {
    browser::RenderRequest request{.url = std::move(url), .headers = std::move(headers)};
    request.policy = wish.policy;
    request.user_agent = wish.user_agent;
    request.mobile = wish.mobile;
    request.wait_time = wish.wait_for;
    const bool shows = is_looked_at(wish);
    request.blocked = {
        .ads = wish.block_ads, .fonts = !shows, .media = true, .images = !shows && !wish.branding};
    request.actions = wish.actions;
    request.branding = wish.branding;
    request.picture = wish.picture;
    if (wish.mobile) request.viewport = phone_viewport;
    if (wish.picture && wish.picture->viewport) request.viewport = *wish.picture->viewport;
    request.limits.time = wish.page_time + wish.wait_for;
    for (const Action& action : wish.actions) request.limits.time += action.time;
    return request;
}

Page take_page(const url::Url& url, browser::Rendered& rendered) {
    return {.url = url.href(),
            .final_url = rendered.final_url,
            .status = rendered.status,
            .headers = std::move(rendered.headers),
            .content_type = "text/html;charset=utf-8",
            .body = std::move(rendered.html),
            .fetched_at = std::chrono::system_clock::now()};
}

}  // namespace quarry::work
