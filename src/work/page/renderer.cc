#include "work/page/renderer.h"

#include "work/page/render_page.h"

namespace quarry::work {
namespace {

RenderWish wish_of(const CrawlContext& crawl, const RenderTools& tools) {
    const crawl::CrawlOptions& options = crawl.options;
    return {.policy = crawl.policy,
            .user_agent = tools.user_agent,
            .page_time = tools.page_time,
            .wait_for = options.wait_for,
            .mobile = options.mobile,
            .block_ads = options.block_ads,
            .actions = options.actions,
            .branding = options.formats.branding,
            .picture = options.picture};
}

Result<browser::Pool*> no_browser() {
    return fail(ErrorCode::not_found, "this worker has no browser to render pages in");
}

}  // namespace

void Renderer::show(FetchedUrl& fetched) {
    const auto started = std::chrono::steady_clock::now();
    fetched.shown = shown(fetched);
    fetched.fetch_time +=
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started);
}

Result<browser::Rendered> Renderer::shown(FetchedUrl& fetched) {
    CrawlContext& crawl = *fetched.crawl;
    const url::Url url = TRY(url::Url::parse(fetched.page->final_url));
    const auto browser = tools_.open_browser ? tools_.open_browser() : no_browser();
    fetched.has_browser = browser.has_value();
    if (!browser) return fail(ErrorCode::unavailable, browser.error().message);
    auto request = render_request(url, crawl.headers_for(url), wish_of(crawl, tools_));
    request.stop = abort_;
    browser::Rendered rendered = TRY((*browser)->render(request));
    Page page = take_page(url, rendered);
    page.url = fetched.page->url;
    if (page.status == 0) page.status = fetched.page->status;
    fetched.page = std::move(page);
    return rendered;
}

}  // namespace quarry::work
