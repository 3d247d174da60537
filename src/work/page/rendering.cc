#include "work/page/rendering.h"

#include <algorithm>

#include <boost/json.hpp>

#include "branding/profile.h"
#include "model/stored_page.h"
#include "text/mime.h"
#include "work/retry.h"

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

namespace {

namespace json = boost::json;

bool is_html(const Page& page) {
    const auto type = text::parse_mime_type(page.content_type);
    return !type || type->essence == "text/html" || type->essence == "application/xhtml+xml";
}

// Only the browser can give what this crawl wants.
bool needs_browser(const crawl::CrawlOptions& options) {
    return !options.actions.empty() || options.picture.has_value() || options.formats.branding;
}

std::string_view type_of(PictureKind kind) {
    switch (kind) {
        case PictureKind::jpeg: return "image/jpeg";
        case PictureKind::webp: return "image/webp";
        case PictureKind::png: break;
    }
    return "image/png";
}

// Gathers what is to be kept, as far as there is room for it.
class Gathered {
public:
    // How the page's record names it.
    json::value add(const std::string& bytes, std::string_view type) {
        if (bytes_ + bytes.size() > most_media_bytes) return nullptr;
        bytes_ += bytes.size();
        media_.push_back({.token = new_media_token(), .type = std::string(type), .bytes = bytes});
        return json::object{{"token", media_.back().token}, {"type", type}};
    }
    std::string packed() const { return pack_media(media_); }

private:
    std::vector<Media> media_;
    std::size_t bytes_ = 0;
};

// The kinds of the pictures that actions took, in their order.
std::vector<PictureKind> kinds_of(const std::vector<Action>& actions) {
    std::vector<PictureKind> kinds;
    for (const Action& action : actions)
        if (action.kind == Action::Kind::picture) kinds.push_back(action.picture.kind);
    return kinds;
}

json::object results_of(const browser::Rendered& rendered) {
    json::array scrapes, returns;
    for (const browser::Scraped& scraped : rendered.scrapes)
        scrapes.push_back({{"url", scraped.url}, {"html", scraped.html}});
    for (const json::value& result : rendered.script_results) returns.push_back(result);
    return {{"scrapes", std::move(scrapes)}, {"javascriptReturns", std::move(returns)}};
}

}  // namespace

bool must_be_shown(const FetchedUrl& fetched) {
    const crawl::CrawlOptions& options = fetched.crawl->options;
    if (fetched.shown || options.render == Rendering::never) return false;
    if (!is_html(*fetched.page)) return needs_browser(options);
    return options.render == Rendering::always;
}

bool is_better_shown(const FetchedUrl& fetched, const Document& document) {
    return !fetched.shown && fetched.crawl->options.render == Rendering::when_empty &&
           document.made_by_scripts;
}

std::optional<store::Outcome> browser_failure(const FetchedUrl& fetched, Timestamp now) {
    if (!fetched.shown || *fetched.shown) return std::nullopt;
    const crawl::CrawlOptions& options = fetched.crawl->options;
    const Error& error = fetched.shown->error();
    if (error.code == ErrorCode::interrupted) return store::Outcome{.end = store::Snooze{now, error.message}};
    // A PDF is no page to a browser, but one to us.
    if (error.code == ErrorCode::unsupported && !needs_browser(options)) return std::nullopt;
    const int status = fetched.page->status;
    // A browser that crashed costs an attempt, and who waits for the page does not wait for the next one.
    const bool somebody_waits = options.kind == "scrape";
    const bool has_crashed = error.code == ErrorCode::unavailable && fetched.has_browser;
    const bool may_be_better =
        has_crashed || (fetched.has_browser && is_worth_another_attempt(error.code) && !somebody_waits);
    const bool is_last = fetched.lease.attempt >= fetched.lease.max_attempts;
    if (may_be_better && !is_last) {
        const Timestamp again =
            somebody_waits ? now : next_attempt(fetch_backoff, fetched.lease.attempt, now);
        return store::Outcome{.end = store::Retry{error.message, again, error.code}, .status = status};
    }
    if (options.render == Rendering::when_empty) return std::nullopt;
    // An element that is not there is a fault of the action that names it; the page was found.
    const ErrorCode code = error.code == ErrorCode::not_found ? ErrorCode::invalid_argument : error.code;
    return store::Outcome{.end = store::Failed{error.message, code}, .status = status};
}

void warn_of_browser(const FetchedUrl& fetched, Document& document) {
    if (!fetched.shown) return;
    std::string words;
    if (*fetched.shown) {
        words = (*fetched.shown)->warning;
    } else if (fetched.shown->error().code != ErrorCode::unsupported) {
        document.warning.clear();
        words = "the page is made by scripts, and the browser failed: " + fetched.shown->error().message;
    }
    if (words.empty()) return;
    document.warning += (document.warning.empty() ? "" : "; ") + words;
}

ShownParts shown_parts(const FetchedUrl& fetched) {
    ShownParts parts;
    if (!fetched.shown || !*fetched.shown) return parts;
    const browser::Rendered& rendered = **fetched.shown;
    const crawl::CrawlOptions& options = fetched.crawl->options;
    Gathered gathered;
    json::object media;
    if (!rendered.picture.empty())
        media["screenshot"] = gathered.add(rendered.picture, type_of(options.picture->kind));
    if (!options.actions.empty()) {
        json::array pictures, pdfs;
        const auto kinds = kinds_of(options.actions);
        for (std::size_t i = 0; i < rendered.pictures.size(); ++i)
            pictures.push_back(gathered.add(rendered.pictures[i], type_of(kinds[i])));
        for (const std::string& pdf : rendered.pdfs) pdfs.push_back(gathered.add(pdf, "application/pdf"));
        media["screenshots"] = std::move(pictures);
        media["pdfs"] = std::move(pdfs);
        parts.details["actions"] = results_of(rendered);
    }
    if (options.formats.branding) parts.details["branding"] = branding::profile_of(rendered.branding);
    if (!media.empty()) parts.details["media"] = std::move(media);
    parts.media = gathered.packed();
    return parts;
}

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
