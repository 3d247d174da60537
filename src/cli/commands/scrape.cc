// `quarry scrape`: pages of the web as markdown.
#include "work/page/scrape.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/remote/pages.h"
#include "app/services/browser.h"
#include "app/services/web_access.h"
#include "browser/pool.h"
#include "cli/command.h"
#include "cli/commands/keep_pages.h"
#include "cli/commands/page_options.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/files.h"
#include "cli/output/terminal.h"
#include "crawl/options/json.h"
#include "model/json/readable.h"
#include "url/url.h"

namespace quarry::cli {
namespace {

struct ScrapeArguments {
    std::vector<std::string> urls{};
    std::string file{}, output{};
    std::string picture{}, full_picture{};  // where pictures go; "": nowhere
    std::string collection{};               // that keeps the pages; "": none
    DocumentOptions document{};
    HeaderOptions headers{};

    bool wants_picture() const { return !picture.empty() || !full_picture.empty(); }
    const std::string& picture_place() const { return full_picture.empty() ? picture : full_picture; }
};

// Prints or saves records as they are delivered, and counts them.
class PageDelivery {
public:
    PageDelivery(const CommandContext& session, const ScrapeArguments& arguments, const Formats& formats,
                 std::size_t pages)
        : session_(session),
          output_(arguments.output),
          formats_(formats),
          pages_(pages),
          folder_(arguments.output, session.json ? ".json" : file_extension(formats)),
          picture_place_(arguments.picture_place()),
          pictures_(picture_place_, ".png"),
          progress_(session.terminal, pages > 1 ? pages : 0) {}

    void take(const work::ScrapeRecord& record) {
        progress_.clear();
        if (record.success()) {
            if (!record.document->warning.empty())
                say(fmt::format("warning: {}: {}", shown(record.url), record.document->warning));
        } else {
            say_error(session_.terminal, sentence_of(record));
        }
        lack_browser_ += record.lacks_browser ? 1 : 0;
        const bool kept = save_picture(record) && emit(record);
        (record.success() && kept ? succeeded_ : failed_) += 1;
        progress_.show(succeeded_ + failed_, shown(record.url));
    }

    // `no_browser`: why there is none, if pages may have needed it.
    int finish(const std::string& no_browser = "") {
        progress_.clear();
        if (pages_ > 1) say(fmt::format("{} succeeded, {} failed", succeeded_, failed_));
        if (lack_browser_ > 0)
            say(fmt::format("note: {} made by scripts. To read {} as a browser shows {}: {}",
                            lack_browser_ == 1 ? "1 page is" : fmt::format("{} pages are", lack_browser_),
                            lack_browser_ == 1 ? "it" : "them", lack_browser_ == 1 ? "it" : "them",
                            no_browser));
        if (was_interrupted()) return report_interruption(succeeded_, pages_);
        if (unwritable_) return exit_error;
        return failed_ == 0 ? exit_success : exit_incomplete;
    }

    bool reader_is_gone() const { return reader_is_gone_; }

private:
    bool save_picture(const work::ScrapeRecord& record) {
        if (record.picture.empty()) return true;
        const auto url = url::Url::parse(record.final_url);
        const std::string path =
            names_folder(picture_place_) && url ? pictures_.path_for(*url) : picture_place_;
        return save(path, record.picture, record.url);
    }

    // False if the record could not be written where it should go.
    bool emit(const work::ScrapeRecord& record) {
        if (!record.success() && !(session_.json && output_.empty())) return true;
        const std::string text = text_of(record);
        if (output_.empty()) {
            reader_is_gone_ = !write_data(text);
            return true;
        }
        const auto url = url::Url::parse(record.final_url);
        const std::string path = names_folder(output_) && url ? folder_.path_for(*url) : output_;
        return save(path, text, record.url);
    }

    bool save(const std::string& path, const std::string& bytes, const std::string& url) {
        const auto written = write_file(path, bytes);
        if (written) {
            if (session_.verbose) say(fmt::format("{} -> {}", shown(url), path));
            return true;
        }
        unwritable_ = true;
        say_error(session_.terminal, written.error().message);
        return false;
    }

    std::string text_of(const work::ScrapeRecord& record) const {
        if (session_.json) return readable_json(to_json(record, formats_)) + "\n";
        const std::string text = plain_output(*record.document, formats_, record.branding);
        const bool needs_name = pages_ > 1 && output_.empty() && formats_.markdown;
        return needs_name ? fmt::format("<!-- {} -->\n\n{}\n", url::without_secrets(record.url), text) : text;
    }

    // Errors of the fetch name the URL already, those of its content do not.
    static std::string sentence_of(const work::ScrapeRecord& record) {
        const std::string& sentence = record.error->message;
        const bool is_named = sentence.contains(url::without_secrets(record.url).substr(0, 100));
        return is_named ? sentence : fmt::format("{}: {}", shown(record.url), sentence);
    }

    static std::string shown(const std::string& url) { return shorten(url::without_secrets(url), 100); }

    const CommandContext& session_;
    std::string output_;
    Formats formats_;
    std::size_t pages_;
    FolderOutput folder_;
    const std::string picture_place_;
    FolderOutput pictures_;
    Progress progress_;
    std::size_t succeeded_ = 0, failed_ = 0, lack_browser_ = 0;
    bool reader_is_gone_ = false, unwritable_ = false;
};

struct Plan {
    std::vector<std::string> urls{};
    work::ScrapeOptions options{};
    std::unique_ptr<browser::Pool> browser{};
    std::size_t pages = 0;
};

Result<void> check_output(const ScrapeArguments& arguments, std::size_t pages) {
    if (!arguments.picture.empty() && !arguments.full_picture.empty())
        return fail(ErrorCode::invalid_argument,
                    "--screenshot and --full-page-screenshot: a page has one picture");
    if (pages <= 1) return {};
    for (const std::string& place : {arguments.output, arguments.picture_place()})
        if (!place.empty() && !names_folder(place))
            return fail(ErrorCode::invalid_argument,
                        fmt::format("{} pages need a folder to go to: {}/", pages, place));
    return {};
}

// A picture can only be taken in a browser, and how a page looks only be seen there.
Result<Rendering> rendering_of(const CommandContext& session, const ScrapeArguments& arguments,
                               const Formats& formats) {
    const Rendering rendering = TRY(crawl::parse_rendering(session.settings.text("browser.render")));
    return arguments.wants_picture() || formats.branding ? Rendering::always : rendering;
}

// Nothing, if no page can need one, or if there is none and most pages will do without. It starts when the
// first page needs it.
Result<std::unique_ptr<browser::Pool>> open_browser(const CommandContext& session,
                                                    work::ScrapeOptions& options) {
    if (options.rendering == Rendering::never) return nullptr;
    const auto config = app::browser_config(session.settings);
    if (config) return std::make_unique<browser::Pool>(*config);
    if (options.rendering == Rendering::always) return std::unexpected(config.error());
    options.no_browser = config.error().message;
    return nullptr;
}

// Everything that can be wrong with the command itself is found here, before the first request.
Result<Plan> make_plan(const CommandContext& session, const ScrapeArguments& arguments,
                       const app::WebAccess& access) {
    Plan plan{.urls = TRY(gather_urls(arguments.urls, arguments.file))};
    plan.options = {.extract = TRY(extract_options(arguments.document)),
                    .pdf = app::pdf_limits(session.settings),
                    .policy = access.policy(),
                    .credentials = access.credentials(),
                    .concurrency = static_cast<int>(session.settings.number("scrape.concurrency"))};
    plan.options.headers = TRY(request_headers(arguments.headers, session.settings, plan.urls));
    const Formats& formats = plan.options.extract.formats;
    plan.options.rendering = TRY(rendering_of(session, arguments, formats));
    plan.options.render = {.user_agent = session.settings.text("fetch.user_agent"),
                           .page_time = session.settings.duration("browser.timeout"),
                           .branding = formats.branding};
    if (arguments.wants_picture())
        plan.options.render.picture = PictureWish{.full_page = !arguments.full_picture.empty()};
    plan.browser = TRY(open_browser(session, plan.options));
    plan.options.browser = plan.browser.get();
    plan.pages = work::Scraper::count_pages(plan.urls);
    TRY(check_output(arguments, plan.pages));
    return plan;
}

// Nothing, if no collection is to keep the pages.
Result<std::unique_ptr<PageKeeper>> open_keeper(const CommandContext& session,
                                                const ScrapeArguments& arguments) {
    if (arguments.collection.empty()) return nullptr;
    return PageKeeper::open(session, arguments.collection);
}

// What is printed is printed whether it can be kept or not, and the other way round.
int finish(PageDelivery& delivery, PageKeeper* keeper, const std::string& no_browser = "") {
    const int delivered = delivery.finish(no_browser);
    return keeper ? std::max(delivered, keeper->finish()) : delivered;
}

// The same pages, fetched by a server.
Result<int> scrape_over(app::RemoteApi& server, const CommandContext& session,
                        const ScrapeArguments& arguments) {
    const auto urls = TRY(gather_urls(arguments.urls, arguments.file));
    app::RemoteScrape options{.timeout = session.settings.duration("fetch.timeout"),
                              .concurrency = static_cast<int>(session.settings.number("scrape.concurrency"))};
    if (arguments.wants_picture())
        return fail(ErrorCode::unsupported, "pictures are not taken over a server: leave out --server");
    options.extract = TRY(extract_options(arguments.document));
    options.rendering = TRY(rendering_of(session, arguments, options.extract.formats));
    // The server has the page's own time, and may first have to start a browser.
    if (options.rendering != Rendering::never)
        options.timeout += 2 * session.settings.duration("browser.timeout");
    options.headers = TRY(request_headers(arguments.headers));
    TRY(app::check(options));
    const std::size_t pages = work::Scraper::count_pages(urls);
    TRY(check_output(arguments, pages));
    const auto keeper = TRY(open_keeper(session, arguments));
    PageDelivery delivery(session, arguments, options.extract.formats, pages);
    if (keeper) options.extract.formats.markdown = true;
    std::stop_source stop;
    const std::stop_callback on_interrupt(stop_on_interrupt(), [&stop] { stop.request_stop(); });
    const auto deliver = [&](const work::ScrapeRecord& record) {
        delivery.take(record);
        if (keeper) keeper->take(record);
        if (delivery.reader_is_gone()) stop.request_stop();
    };
    app::scrape_remotely(server, urls, options, deliver, stop.get_token());
    return finish(delivery, keeper.get());
}

int run_scrape(const CommandContext& session, const ScrapeArguments& arguments) {
    const auto server = app::RemoteApi::connect(session.settings);
    if (!server || *server) {
        const auto scraped =
            server ? scrape_over(**server, session, arguments) : std::unexpected(server.error());
        return scraped ? *scraped : give_up(session, scraped.error());
    }
    auto access = app::WebAccess::open(session.settings);
    auto plan = access ? make_plan(session, arguments, **access) : std::unexpected(access.error());
    if (!plan) return give_up(session, plan.error());
    const auto keeper = open_keeper(session, arguments);
    if (!keeper) return give_up(session, keeper.error());
    const Formats formats = plan->options.extract.formats;
    PageDelivery delivery(session, arguments, formats, plan->pages);
    if (*keeper) plan->options.extract.formats.markdown = true;
    std::stop_source stop;
    const std::stop_callback on_interrupt(stop_on_interrupt(), [&stop] { stop.request_stop(); });
    const work::Scraper scraper((*access)->fetcher(), std::move(plan->options));
    const auto deliver = [&](const work::ScrapeRecord& record) {
        delivery.take(record);
        if (*keeper) (*keeper)->take(record);
        if (delivery.reader_is_gone()) stop.request_stop();
    };
    scraper.scrape_all(plan->urls, deliver, stop.get_token());
    return finish(delivery, keeper->get(), scraper.options().no_browser);
}

}  // namespace

Command add_scrape(CommandBuilder& builder) {
    Parser& parser =
        builder.add("scrape", "Fetch pages and print their main content as markdown",
                    "quarry scrape https://docs.example.com/guide\n"
                    "quarry scrape https://a.example/ https://b.example/ -o pages/\n"
                    "quarry scrape -f urls.txt -c 8 --json > pages.jsonl\n"
                    "quarry scrape https://a.example/ --formats links\n"
                    "quarry scrape https://a.example/ --format branding   # its colours, fonts and logo\n"
                    "quarry scrape https://a.example/news --collection news    # and keep it, for search\n"
                    "quarry scrape http://localhost:8000/ --allow-private --include-tags article");
    const auto arguments = std::make_shared<ScrapeArguments>();
    parser.add_option("url", arguments->urls, "URLs to scrape");
    parser.add_option("-f,--file", arguments->file,
                      "File with one URL a line (# starts a comment; - is standard input)");
    parser.add_option("-o,--output", arguments->output,
                      "Write to this file, or to files in this folder (DIR/)");
    parser.add_option("--collection", arguments->collection,
                      "Also keep the pages in this collection, and index them");
    builder.setting(parser, {"-c,--concurrent", "scrape.concurrency", "Pages fetched at once (5)"});
    builder.setting(parser,
                    {"--render", "browser.render",
                     "Read pages in a browser: auto (those that are empty without), always or never (auto)"});
    parser.add_option("--screenshot", arguments->picture,
                      "Save a picture of the page in the browser to this file, or folder (DIR/)");
    parser.add_option("--full-page-screenshot", arguments->full_picture,
                      "The same, of the whole page from top to bottom");
    add_document_options(parser, arguments->document);
    add_header_options(parser, arguments->headers);
    builder.network_settings(parser);
    return {&parser, [arguments](const CommandContext& session) { return run_scrape(session, *arguments); }};
}

}  // namespace quarry::cli
