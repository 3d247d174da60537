// `quarry screenshot`: pages of the web as pictures.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <thread>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/services/browser.h"
#include "app/services/web_access.h"
#include "base/units.h"
#include "browser/pool.h"
#include "cli/command.h"
#include "cli/commands/page_options.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/files.h"
#include "cli/output/terminal.h"
#include "model/json/readable.h"
#include "url/url.h"

namespace quarry::cli {
namespace {

struct ScreenshotArguments {
    std::vector<std::string> urls{};
    std::string file{}, output{}, wait{}, viewport{}, format = "png", selector{};
    int quality = 80;
    bool full_page = false, mobile = false, pdf = false;
    HeaderOptions headers{};
};

Result<browser::Viewport> parse_viewport(const ScreenshotArguments& arguments) {
    if (arguments.viewport.empty()) return arguments.mobile ? phone_viewport : browser::Viewport{};
    const auto cross = arguments.viewport.find('x');
    const auto number = [](const std::string& text, int most) { return parse_number(text, 1, most); };
    if (cross != std::string::npos) {
        const auto width = number(arguments.viewport.substr(0, cross), browser::largest_viewport.width);
        const auto height = number(arguments.viewport.substr(cross + 1), browser::largest_viewport.height);
        if (width && height) return browser::Viewport{static_cast<int>(*width), static_cast<int>(*height)};
    }
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("--viewport is WIDTHxHEIGHT, at most {}x{}, not \"{}\"", browser::largest_viewport.width,
                    browser::largest_viewport.height, arguments.viewport));
}

Result<browser::PictureKind> parse_kind(const std::string& word) {
    if (word == "png") return browser::PictureKind::png;
    if (word == "jpeg" || word == "jpg") return browser::PictureKind::jpeg;
    if (word == "webp") return browser::PictureKind::webp;
    return fail(ErrorCode::invalid_argument, fmt::format("--format is png, jpeg or webp, not \"{}\"", word));
}

// A time if it reads like one, else a selector.
void set_wait(const std::string& text, browser::RenderRequest& request) {
    if (text.empty()) return;
    if (const auto time = parse_duration(text)) {
        request.wait_time = *time;
    } else {
        request.wait_selector = text;
    }
}

// What holds for all pages; the URL is still to come.
Result<browser::RenderRequest> make_request(const CommandContext& session,
                                            const ScreenshotArguments& arguments,
                                            const app::WebAccess& access, std::span<const std::string> urls) {
    browser::RenderRequest request{.url = url::Url::parse("http://unset.invalid/").value()};
    request.headers = TRY(request_headers(arguments.headers, session.settings, urls));
    request.policy = access.policy();
    request.viewport = TRY(parse_viewport(arguments));
    request.mobile = arguments.mobile;
    request.user_agent = session.settings.text("fetch.user_agent");
    request.limits.time = session.settings.duration("browser.timeout");
    request.html = false;
    request.blocked.media = false;
    set_wait(arguments.wait, request);
    if (arguments.pdf) {
        request.pdf = browser::PdfWish{};
    } else {
        const auto kind = TRY(parse_kind(arguments.format));
        request.picture = browser::PictureWish{.kind = kind,
                                               .quality = arguments.quality,
                                               .full_page = arguments.full_page,
                                               .selector = arguments.selector};
    }
    return request;
}

// Writes what comes, says what does not, and counts both. Several threads deliver.
class PictureDelivery {
public:
    PictureDelivery(const CommandContext& session, const ScreenshotArguments& arguments, std::size_t pages)
        : session_(session),
          output_(arguments.output.empty() ? "./" : arguments.output),
          folder_(output_, arguments.pdf               ? ".pdf"
                           : arguments.format == "png" ? ".png"
                                                       : "." + arguments.format),
          pages_(pages),
          progress_(session.terminal, pages > 1 ? pages : 0) {}

    void take(const std::string& typed, Result<browser::Rendered> rendered) {
        const std::string url = url::without_secrets(typed);
        const std::lock_guard lock(mutex_);
        progress_.clear();
        boost::json::object record{{"url", url}, {"success", false}};
        Result<std::string> path = rendered ? save(url, *rendered) : std::unexpected(rendered.error());
        if (rendered) {
            record["final_url"] = rendered->final_url;
            record["status_code"] = rendered->status;
            if (!rendered->warning.empty()) {
                record["warning"] = rendered->warning;
                say(fmt::format("warning: {}: {}", shorten(url, 100), rendered->warning));
            }
        }
        if (path) {
            record["success"] = true;
            record["file"] = *path;  // its former name
            record["file_path"] = *path;
            record["file_size"] = (rendered->pdf.empty() ? rendered->picture : rendered->pdf).size();
            ++succeeded_;
        } else {
            record["error"] = path.error().message;
            say_error(session_.terminal, fmt::format("{}: {}", shorten(url, 100), path.error().message));
            ++failed_;
        }
        if (session_.json) {
            write_data(readable_json(record) + "\n");
        } else if (path && output_ != "-") {
            write_data(*path + "\n");
        }
        progress_.show(succeeded_ + failed_, url);
    }

    int finish() {
        progress_.clear();
        if (pages_ > 1) say(fmt::format("{} succeeded, {} failed", succeeded_, failed_));
        if (was_interrupted()) return report_interruption(succeeded_, pages_);
        if (unwritable_) return exit_error;
        return failed_ == 0 ? exit_success : exit_incomplete;
    }

private:
    Result<std::string> save(const std::string& url, const browser::Rendered& rendered) {
        const std::string& bytes = rendered.pdf.empty() ? rendered.picture : rendered.pdf;
        if (output_ == "-") {
            write_data(bytes);
            return "-";
        }
        auto address = url::parse_page_address(url);
        std::string path = names_folder(output_) && address ? folder_.path_for(*address) : output_;
        const auto written = write_file(path, bytes);
        unwritable_ = unwritable_ || !written;
        TRY(written);
        return path;
    }

    const CommandContext& session_;
    std::mutex mutex_;
    std::string output_;
    FolderOutput folder_;
    std::size_t pages_;
    Progress progress_;
    std::size_t succeeded_ = 0, failed_ = 0;
    bool unwritable_ = false;
};

Result<browser::Rendered> take_picture(browser::Pool& pool, const browser::RenderRequest& common,
                                       const fetch::Credentials& credentials, const std::string& url,
                                       const std::stop_token& stop) {
    browser::RenderRequest request = common;
    request.url = TRY(url::parse_page_address(url));
    credentials.add_to(request.headers, request.url, local_owner);
    request.stop = stop;
    return pool.render(request);
}

Result<int> take_pictures(const CommandContext& session, const ScreenshotArguments& arguments) {
    const auto urls = TRY(gather_urls(arguments.urls, arguments.file));
    const bool needs_folder = urls.size() > 1 && !arguments.output.empty() && !names_folder(arguments.output);
    if (needs_folder)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} pages need a folder to go to: -o {}/", urls.size(), arguments.output));
    const auto access = TRY(app::WebAccess::open(session.settings));
    const auto request = TRY(make_request(session, arguments, *access, urls));
    const auto config = TRY(app::browser_config(session.settings));
    browser::Pool pool(config);
    PictureDelivery delivery(session, arguments, urls.size());
    const std::stop_token stop = stop_on_interrupt();
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = 0; (i = next++) < urls.size() && !stop.stop_requested();)
            delivery.take(urls[i], take_picture(pool, request, *access->credentials(), urls[i], stop));
    };
    {
        std::vector<std::jthread> threads;
        const auto count = std::min<std::size_t>(urls.size(), static_cast<std::size_t>(config.pages_at_once));
        for (std::size_t i = 0; i < count; ++i) threads.emplace_back(work);
    }
    return delivery.finish();
}

int run_screenshot(const CommandContext& session, const ScreenshotArguments& arguments) {
    const auto code = take_pictures(session, arguments);
    return code ? *code : give_up(session, code.error());
}

}  // namespace

Command add_screenshot(CommandBuilder& builder) {
    Parser& parser = builder.add(
        "screenshot", "Take pictures of pages, as a browser shows them",
        "quarry screenshot https://docs.example.com -o page.png\n"
        "quarry screenshot https://a.example/ https://b.example/ -o pictures/ --full-page\n"
        "quarry screenshot https://a.example/app --wait \"#chart\" --selector \"#chart\" -o chart.png\n"
        "quarry screenshot https://a.example/ --mobile --format webp --quality 70\n"
        "quarry screenshot https://a.example/report --pdf -o report.pdf");
    const auto arguments = std::make_shared<ScreenshotArguments>();
    parser.add_option("url", arguments->urls, "URLs to take pictures of");
    parser.add_option("-f,--file", arguments->file,
                      "File with one URL a line (# starts a comment; - is standard input)");
    parser.add_option("-o,--output", arguments->output,
                      "Write to this file, to files in this folder (DIR/), or to standard output (-)");
    parser.add_flag("--full-page", arguments->full_page, "The whole page, not only what fits the viewport");
    parser.add_option("--selector", arguments->selector, "Only the first element that matches");
    parser.add_option("--wait", arguments->wait, "Wait longer: a time (2s), or until a selector matches");
    parser.add_option("--viewport", arguments->viewport, "Size of the window (1280x800)");
    parser.add_option("--format", arguments->format, "png, jpeg or webp (png)");
    parser.add_option("--quality", arguments->quality, "Of jpeg and webp (80)").between(1, 100);
    parser.add_flag("--mobile", arguments->mobile, "As on a phone (412x915)");
    parser.add_flag("--pdf", arguments->pdf, "A PDF instead of a picture");
    builder.setting(parser, {"--pages", "browser.pages", "Pages open at once (4)"});
    builder.setting(parser, {"--page-timeout", "browser.timeout", "Longest time for one page (30s)"});
    add_header_options(parser, arguments->headers);
    builder.network_settings(parser);
    return {&parser,
            [arguments](const CommandContext& session) { return run_screenshot(session, *arguments); }};
}

}  // namespace quarry::cli
