#include "work/page/fetch_page.h"

#include <set>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "crawl/admission.h"
#include "crawl/near_duplicates.h"
#include "crawl/sitemap.h"
#include "crawl/url_identity.h"
#include "fetch/http_time.h"
#include "fetch/redirect.h"
#include "model/json/output.h"
#include "net/http_message.h"
#include "store/rows/pages.h"
#include "store/rules/transitions.h"
#include "url/url.h"
#include "work/jobs/crawl_jobs.h"
#include "work/jobs/webhooks.h"
#include "work/page/model_answers.h"
#include "work/page/read_document.h"
#include "work/page/rendering.h"
#include "work/retry.h"

namespace quarry::work {

namespace {

namespace json = boost::json;

constexpr int max_redirects = 10;

store::Outcome retry(const FetchedUrl& fetched, const Error& error, Timestamp not_before) {
    store::Outcome outcome{.end = store::Retry{error.message, not_before, error.code}};
    if (fetched.page) outcome.status = fetched.page->status;
    return outcome;
}

store::Outcome skip(const FetchedUrl& fetched, SkipReason reason, std::string note) {
    return {.end = store::Skipped{reason, std::move(note)}, .status = fetched.page->status};
}

// A page with nothing to read. Who named it is told that it failed; one that was merely linked to is left
// out.
store::Outcome left_out(const FetchedUrl& fetched, SkipReason reason, const Error& error) {
    if (fetched.lease.source != UrlSource::seed) return skip(fetched, reason, error.message);
    return {.end = store::Failed{error.message, error.code}, .status = fetched.page->status};
}

store::Outcome not_a_page(const FetchedUrl& fetched, std::string note) {
    return left_out(fetched, SkipReason::not_a_page, {ErrorCode::unsupported, std::move(note)});
}

store::Outcome no_answer(const FetchedUrl& fetched, Timestamp now) {
    const Error& error = fetched.page.error();
    if (error.code == ErrorCode::interrupted) return {.end = store::Snooze{now, error.message}};
    // Who waits for a page hears at once that nobody answers, and may ask again.
    const bool somebody_waits = fetched.crawl->options.kind == "scrape";
    if (somebody_waits || !is_worth_another_attempt(error.code))
        return {.end = store::Failed{error.message, error.code}};
    return retry(fetched, error, next_attempt(fetch_backoff, fetched.lease.attempt, now));
}

bool may_pass(int status) {
    return status == 408 || status == 425 || status == 429 || status >= 500;
}

// Too many requests are no fault of the page. Who waits for it has a time limit of their own.
bool may_wait(const FetchedUrl& fetched, Timestamp now) {
    return fetched.crawl->options.kind != "scrape" &&
           fetched.crawl->patience.has_left(fetched.lease.lease.id, now);
}

// What the server said is what was asked for, unless it may say something else the next time.
bool is_kept_all_the_same(const FetchedUrl& fetched) {
    const store::UrlLease& lease = fetched.lease;
    return fetched.crawl->options.keep_errors &&
           (!may_pass(fetched.page->status) || lease.attempt >= lease.max_attempts);
}

store::Outcome error_status(const FetchedUrl& fetched, Timestamp now) {
    const Page& page = *fetched.page;
    const std::string line = net::http_status_line(page.status);
    if (page.status == 404 || page.status == 410) {
        return {.end = store::Failed{line, ErrorCode::not_found},
                .status = page.status,
                .gone = {fetched.lease.key}};
    }
    if (!may_pass(page.status))
        return {.end = store::Failed{line, ErrorCode::refused}, .status = page.status};
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
    const auto asked = fetch::retry_after(page.headers, seconds);
    Timestamp not_before = next_attempt(fetch_backoff, fetched.lease.attempt, now);
    if (page.status == 429 && may_wait(fetched, now)) {
        // As long as the server says, else as long as its host is left alone.
        // Less often than a page may be put off in a row while the crawl has patience with it.
        constexpr std::chrono::milliseconds shortest{500};
        const bool is_paused = fetched.host_rule && fetched.host_rule->not_before;
        if (asked)
            not_before = now + std::max<std::chrono::milliseconds>(shortest, *asked);
        else if (is_paused)
            not_before = std::max(not_before, *fetched.host_rule->not_before);
        return {.end = store::Snooze{not_before, line}, .status = page.status};
    }
    if (asked) not_before = std::max(not_before, now + *asked);
    return retry(fetched, {ErrorCode::unavailable, line}, not_before);
}

// A redirect is not followed: its target gets an entry of its own, so that it is fetched once however many
// URLs lead there.
store::Outcome redirect(const FetchedUrl& fetched) {
    const store::UrlLease& lease = fetched.lease;
    const std::string_view location = header_value(fetched.page->headers, "location");
    const auto base = url::Url::parse(fetched.page->final_url);
    const auto target = base ? fetch::redirect_target(*base, location) : base;
    if (!target) {
        return {.end = store::Failed{fmt::format("redirected to nowhere: \"{}\"",
                                                 url::without_secrets(location))},
                .status = fetched.page->status};
    }
    if (lease.redirects >= max_redirects) {
        return {.end = store::Failed{fmt::format("more than {} redirects", max_redirects)},
                .status = fetched.page->status};
    }
    CrawlContext& crawl = *fetched.crawl;
    store::Outcome outcome = skip(fetched, SkipReason::redirect, "redirects to " + target->href());
    // Where the start page leads is where the user wanted to go.
    const bool leads_the_crawl = lease.source == UrlSource::seed && target->is_http();
    const auto scope = crawl.scope();
    if (!leads_the_crawl && scope->check(*target, lease.depth) != crawl::Belongs::yes) {
        outcome.end =
            store::Skipped{SkipReason::redirect, "redirects out of the crawl, to " + target->href()};
        return outcome;
    }
    outcome.found.push_back({.url = crawl::kept_url(*target),
                             .key = crawl::url_key(*target, crawl::identity_rules(crawl.options)),
                             .host = crawl::host_key(*target),
                             .depth = lease.depth,
                             .redirects = lease.redirects + 1,
                             .source = leads_the_crawl ? UrlSource::seed : UrlSource::redirect});
    if (leads_the_crawl) {
        outcome.roots.push_back(crawl::kept_url(*target));
        crawl.widen(outcome.roots);
    }
    return outcome;
}

json::array urls_of(const std::vector<Link>& links, bool (*wanted)(const Link&)) {
    json::array urls;
    for (const Link& link : links)
        if (wanted(link)) urls.emplace_back(link.url);
    return urls;
}

// The page's record, and what following its links again needs besides: a server may say that nothing has
// changed.
Result<PackedContent> packed(const Document& document, const Formats& formats, json::value change,
                             json::object extra) {
    Formats wanted = formats;
    wanted.markdown = wanted.html = false;
    wanted.links = wanted.metadata = true;
    json::object details = to_json(document, wanted);
    json::array forbidden = urls_of(document.links, [](const Link& link) { return link.nofollow; });
    if (document.metadata.robots.nofollow)
        forbidden = urls_of(document.links, [](const Link&) { return true; });
    json::array frames = urls_of(document.frames, [](const Link& link) { return !link.nofollow; });
    if (!forbidden.empty()) details["nofollow"] = std::move(forbidden);
    if (change.is_object()) details["changeTracking"] = std::move(change);
    if (!frames.empty() && !document.metadata.robots.nofollow) details["frames"] = std::move(frames);
    for (auto& part : extra) details[part.key()] = std::move(part.value());
    return store::pack(
        {.markdown = document.markdown, .details = json::serialize(details), .html = document.html});
}

std::vector<Link> links_at(const json::object& details, std::string_view key) {
    std::vector<Link> links;
    const json::value* urls = details.if_contains(key);
    if (!urls || !urls->is_array()) return links;
    for (const json::value& url : urls->get_array())
        if (url.is_string()) links.push_back({.url = std::string(url.get_string())});
    return links;
}

PageFacts facts_of(const FetchedUrl& fetched, const Document& document) {
    const Page& page = *fetched.page;
    return {.url = fetched.lease.url,
            .final_url = page.final_url,
            .status = page.status,
            .etag = std::string(header_value(page.headers, "etag")),
            .last_modified = std::string(header_value(page.headers, "last-modified")),
            .content_type = page.content_type,
            .title = document.metadata.title,
            .language = document.metadata.language,
            .content_hash = store::content_hash(document.metadata.title, document.markdown),
            .simhash = crawl::simhash(document.markdown),
            .body_bytes = static_cast<std::int64_t>(page.body.size()),
            .fetched_at = std::chrono::time_point_cast<std::chrono::milliseconds>(page.fetched_at)};
}

// What is stored of the page cannot be read. While the store is away that is no fault of the page; what is
// damaged costs attempts.
store::Outcome without_store(const FetchedUrl& fetched, const Error& error, Timestamp now) {
    const Timestamp again = next_attempt(fetch_backoff, fetched.lease.attempt, now);
    if (is_trouble_of_store(error)) return {.end = store::Snooze{again, error.message}};
    return retry(fetched, error, again);
}

// The links of a page that has not changed, as they were read when it last did.
Result<Document> former_document(const FetchedUrl& fetched, store::Reader& reader) {
    Document document{.url = fetched.page->final_url};
    const auto page = TRY(reader.page(fetched.crawl->collection, fetched.lease.key));
    if (!page || !page->content) return document;
    boost::system::error_code error;
    const json::value details = json::parse(page->content->details, error);
    if (error || !details.is_object()) return document;
    document.links = links_at(details.get_object(), "links");
    document.frames = links_at(details.get_object(), "frames");
    std::set<std::string> forbidden;
    for (Link& link : links_at(details.get_object(), "nofollow")) forbidden.insert(std::move(link.url));
    for (Link& link : document.links) link.nofollow = forbidden.contains(link.url);
    return document;
}

void follow_links(const FetchedUrl& fetched, const Document& document, const PageTools& tools,
                  store::Outcome& outcome) {
    CrawlContext& crawl = *fetched.crawl;
    if (crawl.options.sitemap == crawl::SitemapUse::only || crawl.options.list_only_seeds) return;
    const auto page = url::Url::parse(fetched.page->final_url);
    if (!page) return;
    crawl::Admitted admitted =
        tools.admissions.of(fetched.crawl).from_page(document, *page, fetched.lease.depth);
    outcome.found = std::move(admitted.found);
    outcome.canonical = admitted.canonical;
}

// Unchanged, says the server.
store::Outcome not_modified(const FetchedUrl& fetched, const PageTools& tools, Timestamp now) {
    const Page& page = *fetched.page;
    // Nothing was asked to be compared, and asking again would bring the same.
    if (!fetched.lease.former)
        return {.end = store::Failed{std::string(store::nothing_stored), ErrorCode::refused},
                .status = page.status};
    const auto former = former_document(fetched, tools.reader);
    if (!former) return without_store(fetched, former.error(), now);
    store::Outcome outcome{.end = store::Completed{}, .status = page.status};
    PageWrite write{.key = fetched.lease.key};
    write.facts = {.url = fetched.lease.url,
                   .final_url = page.final_url,
                   .status = page.status,
                   .etag = std::string(header_value(page.headers, "etag")),
                   .last_modified = std::string(header_value(page.headers, "last-modified")),
                   .content_hash = fetched.lease.former ? fetched.lease.former->content_hash : 0,
                   .fetched_at = std::chrono::time_point_cast<std::chrono::milliseconds>(page.fetched_at)};
    outcome.pages.push_back(std::move(write));
    follow_links(fetched, *former, tools, outcome);
    outcome.canonical.reset();
    return outcome;
}

store::Outcome unreadable(const FetchedUrl& fetched, const Error& error) {
    if (error.code == ErrorCode::unsupported) return not_a_page(fetched, error.message);
    return {.end = store::Failed{error.message, error.code}, .status = fetched.page->status};
}

// Null if nobody asked.
Result<json::value> tracked_change(const FetchedUrl& fetched, const Document& document,
                                   const PageTools& tools) {
    if (!fetched.crawl->options.track_changes) return nullptr;
    return json::value(TRY(change_of(fetched, document, tools.reader)));
}

store::Outcome keep(const FetchedUrl& fetched, Document document, const PageTools& tools, Timestamp now) {
    CrawlContext& crawl = *fetched.crawl;
    store::Outcome outcome{.end = store::Completed{}, .status = fetched.page->status};
    follow_links(fetched, document, tools, outcome);
    if (document.metadata.robots.noindex && !crawl.options.ignore_robots) {
        outcome.end = store::Skipped{SkipReason::noindex, "the page asks not to be indexed"};
        outcome.canonical.reset();
        return outcome;
    }
    PageWrite write{.key = fetched.lease.key, .facts = facts_of(fetched, document)};
    auto change = tracked_change(fetched, document, tools);
    if (!change) return without_store(fetched, change.error(), now);
    // What has become of it is said anew each time, so it is never "not modified"; and what a script makes
    // may change though the page that has it does not.
    if (crawl.options.track_changes || fetched.shown) write.facts.etag = write.facts.last_modified = "";
    ShownParts shown = shown_parts(fetched);
    if (fetched.answers) shown.details["answers"] = kept_answers(fetched);
    // Who names a page wants it in certain forms: the same words in others are another version.
    const bool is_named = crawl.options.kind == "scrape" || crawl.options.kind == "batch_scrape" ||
                          crawl.options.kind == "extract" || crawl.options.track_changes ||
                          !shown.details.empty();
    if (is_named) {
        auto content = packed(document, crawl.extract.formats, *std::move(change), std::move(shown.details));
        if (!content) return unreadable(fetched, content.error());
        write.facts.content_hash = store::content_hash(document.metadata.title,
                                                       document.markdown + content->details + document.html);
        content->media = std::move(shown.media);
        write.content = *std::move(content);
    }
    const auto& former = fetched.lease.former;
    const bool is_unchanged = former && former->content_hash == write.facts.content_hash;
    if (is_unchanged) {
        write.content.reset();
    } else if (!write.content) {
        auto content = packed(document, crawl.extract.formats, nullptr, {});
        if (!content) return unreadable(fetched, content.error());
        write.content = *std::move(content);
    }
    write.near_duplicate_of = crawl.near_duplicates.with([&](crawl::NearDuplicates& seen) {
        return seen.add(write.facts.simhash, write.facts.title, write.key);
    });
    if (fetched.page->final_url != fetched.lease.url) outcome.final_url = fetched.page->final_url;
    outcome.pages.push_back(std::move(write));
    return outcome;
}

// A start page may be the list of the others.
std::optional<store::Outcome> read_listing(const FetchedUrl& fetched) {
    const Page& page = *fetched.page;
    const bool may_be_one = fetched.lease.source == UrlSource::seed &&
                            !fetched.crawl->options.list_only_seeds &&
                            page.content_type.find("html") == std::string::npos;
    if (!may_be_one) return std::nullopt;
    const auto base = url::Url::parse(page.final_url);
    if (!base) return std::nullopt;
    const auto listing = crawl::parse_sitemap(page.body, *base);
    const bool is_sitemap =
        listing && (listing->kind == crawl::SitemapKind::pages || listing->kind == crawl::SitemapKind::index);
    if (!is_sitemap) return std::nullopt;
    store::Outcome outcome =
        skip(fetched, SkipReason::listing, fmt::format("a sitemap of {} pages", listing->entries.size()));
    outcome.found = listed_urls(*listing, *fetched.crawl);
    return outcome;
}

// The words of the page, in whichever form it is there.
Result<Document> read_words(const FetchedUrl& fetched, const PageTools& tools) {
    extract::ExtractOptions options = fetched.crawl->extract;
    options.is_rendered = fetched.shown && *fetched.shown;
    if (must_be_answered(fetched)) options.formats.raw_html = true;
    Document document = TRY(read_document(*fetched.page, options, tools.pdf));
    warn_of_browser(fetched, document);
    return document;
}

// Whether words were asked for and nothing else that a page without any could give.
bool is_about_words(const FetchedUrl& fetched) {
    const crawl::CrawlOptions& options = fetched.crawl->options;
    return options.formats.wants_content() && !options.formats.branding && !options.data.wants_any() &&
           !options.picture && options.actions.empty() && options.attributes.empty() &&
           !options.track_changes && fetched.page->status < 400;
}

// Its links are followed all the same.
store::Outcome without_words(const FetchedUrl& fetched, const Document& document, const PageTools& tools) {
    std::string reason = document.no_text;
    const bool lacks_browser = fetched.shown && !*fetched.shown && document.made_by_scripts;
    if (lacks_browser)
        reason = "the page has no text: it is made by scripts, and the browser failed: " +
                 fetched.shown->error().message;
    const bool has_selectors =
        !fetched.crawl->options.include_tags.empty() || !fetched.crawl->options.exclude_tags.empty();
    if (has_selectors) reason = "the page has no text in what includeTags and excludeTags leave of it";
    // What selectors leave out was not empty.
    store::Outcome outcome = has_selectors
                                 ? skip(fetched, SkipReason::empty, std::move(reason))
                                 : left_out(fetched, SkipReason::empty, {ErrorCode::not_found, reason});
    follow_links(fetched, document, tools, outcome);
    outcome.canonical.reset();
    return outcome;
}

Reading read_answer(const FetchedUrl& fetched, const PageTools& tools, Timestamp now) {
    if (!fetched.page) return no_answer(fetched, now);
    if (fetched.was_interrupted) return store::Outcome{.end = store::Snooze{now, "interrupted"}};
    if (auto failed = browser_failure(fetched, now)) return *std::move(failed);
    if (auto failed = answer_failure(fetched, now)) return *std::move(failed);
    const int status = fetched.page->status;
    if (status == 304) return not_modified(fetched, tools, now);
    if (status >= 400 && !is_kept_all_the_same(fetched)) return error_status(fetched, now);
    if (status >= 300 && status < 400) return redirect(fetched);
    if (!may_hold_text(fetched.page->content_type)) {
        return not_a_page(fetched, "not a page: " + fetched.page->content_type);
    }
    if (auto listing = read_listing(fetched)) return *std::move(listing);
    if (must_be_shown(fetched)) return ToBrowser{};
    auto document = read_words(fetched, tools);
    if (!document) return unreadable(fetched, document.error());
    if (is_better_shown(fetched, *document)) return ToBrowser{};
    if (must_be_answered(fetched)) return ToModel{question_about(fetched, *document)};
    if (!document->no_text.empty() && is_about_words(fetched))
        return without_words(fetched, *document, tools);
    return keep(fetched, *std::move(document), tools, now);
}

// Whether the URL ends with this, and not only the attempt.
bool is_the_end(const store::Outcome& outcome, const store::UrlLease& lease) {
    if (std::holds_alternative<store::Retry>(outcome.end)) return lease.attempt >= lease.max_attempts;
    return std::holds_alternative<store::Completed>(outcome.end) ||
           std::holds_alternative<store::Failed>(outcome.end);
}

}  // namespace

Reading fetch_page(const FetchedUrl& fetched, const PageTools& tools, Timestamp now) {
    const auto started = std::chrono::steady_clock::now();
    Reading reading = read_answer(fetched, tools, now);
    if (!std::holds_alternative<store::Outcome>(reading)) return reading;
    auto& outcome = std::get<store::Outcome>(reading);
    if (!std::holds_alternative<store::Snooze>(outcome.end))
        fetched.crawl->patience.forget(fetched.lease.lease.id);
    outcome.timings.fetch = fetched.fetch_time;
    outcome.timings.extract =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started);
    if (fetched.host_rule) outcome.hosts.push_back(*fetched.host_rule);
    if (is_the_end(outcome, fetched.lease)) {
        auto job = page_webhook(fetched.crawl->options, fetched.crawl->id, fetched.lease.lease.id);
        if (job) outcome.jobs.push_back(*std::move(job));
    }
    return reading;
}

std::vector<Header> request_headers(const store::UrlLease& lease, CrawlContext& crawl, const url::Url& url) {
    std::vector<Header> headers = crawl.headers_for(url);
    const bool asks_anew = crawl.options.track_changes || crawl.options.render == Rendering::always ||
                           crawl.options.data.wants_any();
    if (!lease.former || !crawl.options.refresh || asks_anew) return headers;
    if (!lease.former->etag.empty()) headers.push_back({"If-None-Match", lease.former->etag});
    if (!lease.former->last_modified.empty()) {
        headers.push_back({"If-Modified-Since", lease.former->last_modified});
    }
    return headers;
}

}  // namespace quarry::work
