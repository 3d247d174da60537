#include "browser/render.h"

#include <fmt/format.h>

#include "browser/actions.h"
#include "browser/page.h"
#include "net/request_headers.h"
#include "net/wording.h"

namespace quarry::browser {
namespace {

std::unexpected<Error> wrong(std::string words) {
    return fail(ErrorCode::invalid_argument, std::move(words));
}

Result<Rendered> work_on(Page& page) {
    const RenderRequest& request = page.request();
    Rendered rendered;
    TRY(page.navigate());
    const bool is_ready = TRY(page.wait_until_ready());
    TRY(run_actions(page, rendered));
    // Before the picture, which may be taken of another viewport.
    if (request.branding) rendered.branding = TRY(page.branding());
    if (request.picture) rendered.picture = TRY(page.picture(*request.picture));
    if (request.pdf) rendered.pdf = TRY(page.pdf(*request.pdf));
    if (request.html) rendered.html = TRY(page.html());
    TRY(page.check_document());
    PageState now = page.state();
    rendered.final_url = std::move(now.url);
    rendered.status = now.status;
    rendered.headers = std::move(now.headers);
    rendered.requests = now.requests;
    rendered.bytes = page.tally().bytes;
    if (!is_ready) rendered.warning = "the page was still loading when its time was over";
    if (now.requests >= request.limits.requests)
        rendered.warning = fmt::format("the page made more than {} requests", request.limits.requests);
    return rendered;
}

Result<Rendered> render_page(Instance& instance, const Lane& lane, const RenderRequest& request,
                             Health& health) {
    const Deadline deadline = std::chrono::steady_clock::now() + request.limits.time;
    auto page = Page::open(instance, lane, request, deadline);
    if (!page) {
        health = Health::stuck;  // an empty page opens, or something is wrong with the browser
        return std::unexpected(page.error());
    }
    auto rendered = work_on(**page);
    if (!(*page)->close()) health = Health::stuck;
    if (!rendered && rendered.error().code == ErrorCode::timeout)
        return fail(ErrorCode::timeout,
                    fmt::format("timed out after {} in the browser ({})", net::in_words(request.limits.time),
                                rendered.error().message));
    return rendered;
}

}  // namespace

Result<void> check(const RenderRequest& request) {
    if (!request.url.is_http()) return wrong("a browser loads http and https only");
    if (request.actions.size() > most_actions)
        return wrong(fmt::format("more than {} actions", most_actions));
    for (const Viewport& view :
         {request.viewport,
          request.picture && request.picture->viewport ? *request.picture->viewport : Viewport{}}) {
        const bool fits = view.width >= 1 && view.height >= 1 && view.width <= largest_viewport.width &&
                          view.height <= largest_viewport.height;
        if (!fits)
            return wrong(fmt::format("a viewport has 1x1 to {}x{} pixels", largest_viewport.width,
                                     largest_viewport.height));
    }
    TRY(request.policy.check_host(request.url.host()));
    for (const Header& header : request.headers) TRY(net::check_request_headers({header}));
    return {};
}

RenderOutcome render(Instance& instance, const Lane& lane, const RenderRequest& request) {
    RenderOutcome outcome{.result = fail(ErrorCode::unavailable, "not rendered")};
    if (auto checked = check(request); !checked) {
        outcome.result = std::unexpected(checked.error());
        return outcome;
    }
    outcome.result = render_page(instance, lane, request, outcome.health);
    if (!instance.devtools().is_open()) outcome.health = Health::stuck;
    return outcome;
}

}  // namespace quarry::browser
