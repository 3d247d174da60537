// What `extract` does with pages as they come: data of each, printed or saved, and rules learnt from the
// first.
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/remote/pages.h"
#include "app/services/models.h"
#include "app/services/web_access.h"
#include "chat/answer_page.h"
#include "chat/learn_rules.h"
#include "cli/command.h"
#include "cli/commands/page_options.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/files.h"
#include "cli/output/terminal.h"
#include "model/json/readable.h"
#include "url/url.h"
#include "work/page/scrape.h"

namespace quarry::cli {

struct ExtractPlan {
    std::vector<std::string> urls{};
    std::size_t pages = 0;
    std::string output{};  // file or folder; "" is standard output
    std::optional<schema::Schema> schema{};
    std::optional<structured::Rules> rules{};
    std::string prompt{};
    std::string learn_file{};      // rules are to be learnt, and written there; "" if not
    chat::Model* model = nullptr;  // borrowed
};

using DeliverRecord = std::function<void(const work::ScrapeRecord&)>;
// Fetches the pages of the plan and hands them over in their order, on the calling thread, until it is
// stopped.
using FetchPages = std::function<void(const ExtractPlan&, const DeliverRecord&, std::stop_token)>;

// The exit code. Fails only if nothing could be done at all: rules that could not be learnt.
Result<int> run_extraction(const CommandContext& session, ExtractPlan plan, const FetchPages& fetch);

namespace {

namespace json = boost::json;
using structured::Filled;

constexpr std::size_t pages_to_learn_from = 3;

class AnswerDelivery {
public:
    AnswerDelivery(const CommandContext& session, ExtractPlan& plan, std::stop_source& stop)
        : session_(session),
          plan_(plan),
          stop_(stop),
          folder_(plan.output, ".json"),
          progress_(session.terminal, plan.pages > 1 ? plan.pages : 0) {}

    void take(const work::ScrapeRecord& record) {
        if (error_) return;
        if (plan_.learn_file.empty()) return answer(record);
        waiting_.push_back(record);
        if (waiting_.size() < std::min(pages_to_learn_from, plan_.pages)) return;
        release();
    }

    Result<int> finish() {
        if (!waiting_.empty() && !error_) release();
        progress_.clear();
        if (error_) return std::unexpected(*error_);
        if (plan_.pages > 1) say(fmt::format("{} succeeded, {} failed", succeeded_, failed_));
        if (was_interrupted()) return report_interruption(succeeded_, plan_.pages);
        if (unwritable_) return exit_error;
        return failed_ == 0 ? exit_success : exit_incomplete;
    }

private:
    // Learns from the pages that wait, and then answers for them.
    void release() {
        if (const auto learnt = learn(); !learnt) {
            error_ = learnt.error();
            stop_.request_stop();
            return;
        }
        for (const work::ScrapeRecord& record : waiting_) answer(record);
        waiting_.clear();
    }

    Result<void> learn() {
        std::vector<chat::PageText> pages;
        for (const work::ScrapeRecord& record : waiting_)
            if (record.success()) pages.push_back(text_of(record));
        if (pages.empty()) return fail(ErrorCode::not_found, "no page could be fetched to learn rules from");
        structured::Rules rules = TRY(chat::learn_rules(*plan_.model, pages, request(), stop_.get_token()));
        TRY(write_file(plan_.learn_file, readable_json(rules.to_json(), Layout::indented) + "\n"));
        say(fmt::format("rules learnt from {} page{} -> {}", pages.size(), pages.size() == 1 ? "" : "s",
                        plan_.learn_file));
        plan_.rules = std::move(rules);
        plan_.learn_file.clear();
        plan_.prompt.clear();
        plan_.model = nullptr;
        return {};
    }

    static std::string shown(const std::string& url) { return shorten(url::without_secrets(url), 100); }

    static std::string schema_error(const Filled& filled) {
        return "the data does not keep the schema: " + sentence_of(filled.problems);
    }

    chat::PageRequest request() const {
        return {.schema = plan_.schema ? &*plan_.schema : nullptr,
                .rules = plan_.rules ? &*plan_.rules : nullptr,
                .prompt = plan_.prompt};
    }

    static chat::PageText text_of(const work::ScrapeRecord& record) {
        return {.url = record.final_url,
                .html = record.document->raw_html,
                .markdown = record.document->markdown};
    }

    void answer(const work::ScrapeRecord& record) {
        Result<Filled> filled =
            record.success() ? chat::answer_page(text_of(record), request(), plan_.model, stop_.get_token())
                             : std::unexpected(*record.error);
        progress_.clear();
        if (!filled)
            say_error(session_.terminal, fmt::format("{}: {}", shown(record.url), filled.error().message));
        else if (!filled->problems.empty())
            say_error(session_.terminal, fmt::format("{}: {}", shown(record.url), schema_error(*filled)));
        const bool is_good = filled && filled->problems.empty();
        const bool is_kept = write(record, filled);
        (is_good && is_kept ? succeeded_ : failed_) += 1;
        progress_.show(succeeded_ + failed_, shown(record.url));
    }

    // False if it could not be written where it should go.
    bool write(const work::ScrapeRecord& record, const Result<Filled>& filled) {
        if (!filled && !(session_.json && plan_.output.empty())) return true;
        const std::string text = line_of(record, filled) + "\n";
        if (plan_.output.empty()) {
            if (!write_data(text)) stop_.request_stop();
            return true;
        }
        const auto url = url::Url::parse(record.final_url);
        const std::string path = names_folder(plan_.output) && url ? folder_.path_for(*url) : plan_.output;
        const auto written = write_file(path, text);
        if (written) return true;
        unwritable_ = true;
        say_error(session_.terminal, written.error().message);
        return false;
    }

    // The data alone, for one page; a line with the page's name for each of several; with --json, all there
    // is to know.
    std::string line_of(const work::ScrapeRecord& record, const Result<Filled>& filled) const {
        const bool is_alone = plan_.pages == 1 || !plan_.output.empty();
        if (!session_.json && is_alone) return readable_json(filled->data, Layout::indented);
        json::object line{{"url", url::without_secrets(record.url)}};
        if (session_.json) {
            line["success"] = filled && filled->problems.empty();
            line["error"] = nullptr;
            if (!filled) line["error"] = filled.error().message;
            if (filled && !filled->problems.empty()) line["error"] = schema_error(*filled);
        }
        if (filled) line["data"] = filled->data;
        if (filled && session_.json) {
            line["sources"] = filled->sources_json();
            line["problems"] = filled->problems_json();
        }
        return readable_json(line);
    }

    const CommandContext& session_;
    ExtractPlan& plan_;
    std::stop_source& stop_;
    FolderOutput folder_;
    Progress progress_;
    std::vector<work::ScrapeRecord> waiting_;  // to be learnt from
    std::optional<Error> error_;               // nothing more can be done
    std::size_t succeeded_ = 0, failed_ = 0;
    bool unwritable_ = false;
};

}  // namespace

Result<int> run_extraction(const CommandContext& session, ExtractPlan plan, const FetchPages& fetch) {
    std::stop_source stop;
    const std::stop_callback on_interrupt(stop_on_interrupt(), [&stop] { stop.request_stop(); });
    AnswerDelivery delivery(session, plan, stop);
    fetch(plan, [&](const work::ScrapeRecord& record) { delivery.take(record); }, stop.get_token());
    return delivery.finish();
}

// `quarry extract`: pages of the web as data of the shape that was asked for.

namespace {

struct ExtractArguments {
    std::vector<std::string> urls{};
    std::string file{}, output{}, schema_file{}, rules_file{}, learn_file{}, prompt{};
    HeaderOptions headers{};
};

constexpr std::uint64_t most_file_bytes = 4 << 20;

// A file that is at fault is named.
template <typename T>
Result<T> in_file(const std::string& path, Result<T> read) {
    if (read) return read;
    return fail(read.error().code, fmt::format("{}: {}", path, read.error().message));
}

// Everything that can be wrong with the command itself is found here, before the first request.
Result<ExtractPlan> make_plan(const ExtractArguments& arguments, chat::Model* model) {
    ExtractPlan plan{.output = arguments.output, .prompt = arguments.prompt, .model = model};
    plan.urls = TRY(gather_urls(arguments.urls, arguments.file));
    plan.pages = work::Scraper::count_pages(plan.urls);
    if (plan.pages > 1 && !plan.output.empty() && !names_folder(plan.output))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} pages need a folder to go to: -o {}/", plan.pages, plan.output));
    if (!arguments.schema_file.empty()) {
        const std::string text = TRY(read_input(arguments.schema_file, most_file_bytes));
        plan.schema = TRY(in_file(arguments.schema_file, schema::Schema::parse_text(text)));
    }
    std::string rules_file = arguments.rules_file;
    if (!arguments.learn_file.empty() && std::filesystem::exists(arguments.learn_file)) {
        rules_file = arguments.learn_file;
        plan.model = nullptr;
    } else {
        plan.learn_file = arguments.learn_file;
    }
    if (!rules_file.empty()) {
        const std::string text = TRY(read_input(rules_file, most_file_bytes));
        plan.rules = TRY(in_file(rules_file, structured::Rules::parse(text)));
    }
    const bool are_learnt = !rules_file.empty() && rules_file == arguments.learn_file;
    const bool needs_model = !plan.learn_file.empty() || (!plan.prompt.empty() && !are_learnt);
    if (needs_model && model == nullptr)
        return fail(ErrorCode::invalid_argument,
                    "--prompt and --learn need a language model: set model.url and model.name (or "
                    "OPENAI_BASE_URL and QUARRY_MODEL_NAME)");
    if (!plan.learn_file.empty() && !plan.schema && plan.prompt.empty())
        return fail(ErrorCode::invalid_argument,
                    "--learn needs --schema or --prompt: what are the rules to find?");
    // Learnt rules answer the prompt that they were learnt with.
    if (are_learnt) plan.prompt.clear();
    return plan;
}

// Prices and weights often stand beside what a reader came for, so a model gets all of the page.
void want_forms(extract::ExtractOptions& options) {
    options.formats.raw_html = true;
    options.full_page = true;
}

Result<int> extract_over(app::RemoteApi& server, const CommandContext& session,
                         const ExtractArguments& arguments, ExtractPlan plan) {
    app::RemoteScrape options{.timeout = session.settings.duration("fetch.timeout"),
                              .concurrency = static_cast<int>(session.settings.number("scrape.concurrency"))};
    want_forms(options.extract);
    options.headers = TRY(request_headers(arguments.headers));
    TRY(app::check(options));
    return run_extraction(session, std::move(plan),
                          [&](const ExtractPlan& wanted, const auto& deliver, auto stop) {
                              app::scrape_remotely(server, wanted.urls, options, deliver, stop);
                          });
}

Result<int> extract_here(app::WebAccess& access, const CommandContext& session,
                         const ExtractArguments& arguments, ExtractPlan plan) {
    work::ScrapeOptions options{
        .pdf = app::pdf_limits(session.settings),
        .policy = access.policy(),
        .credentials = access.credentials(),
        .concurrency = static_cast<int>(session.settings.number("scrape.concurrency"))};
    want_forms(options.extract);
    options.extract.when_empty = extract::WhenEmpty::keep;
    options.headers = TRY(request_headers(arguments.headers, session.settings, plan.urls));
    const work::Scraper scraper(access.fetcher(), std::move(options));
    return run_extraction(session, std::move(plan),
                          [&](const ExtractPlan& wanted, const auto& deliver, auto stop) {
                              scraper.scrape_all(wanted.urls, deliver, stop);
                          });
}

Result<int> run(const CommandContext& session, const ExtractArguments& arguments) {
    const auto access = TRY(app::WebAccess::open(session.settings));
    const auto model = TRY(app::open_model(session.settings, access->client()));
    ExtractPlan plan = TRY(make_plan(arguments, model.get()));
    const auto server = TRY(app::RemoteApi::connect(session.settings));
    return server ? extract_over(*server, session, arguments, std::move(plan))
                  : extract_here(*access, session, arguments, std::move(plan));
}

}  // namespace

Command add_extract(CommandBuilder& builder) {
    Parser& parser =
        builder.add("extract", "Fetch pages and print the data in them as JSON",
                    "quarry extract https://shop.example/mug --schema product.json\n"
                    "quarry extract https://shop.example/mug --schema product.json --rules shop.json --json\n"
                    "quarry extract -f urls.txt --schema product.json --learn shop.json\n"
                    "quarry extract https://a.example/team --prompt \"names and roles of all people\"\n"
                    "quarry extract https://a.example/");
    const auto arguments = std::make_shared<ExtractArguments>();
    parser.add_option("url", arguments->urls, "URLs to extract from");
    parser.add_option("-f,--file", arguments->file,
                      "File with one URL a line (# starts a comment; - is standard input)");
    parser.add_option("-o,--output", arguments->output,
                      "Write to this file, or to files in this folder (DIR/)");
    parser.add_option("--schema", arguments->schema_file,
                      "JSON Schema (2020-12) of the data; without: all that the page says for machines");
    parser.add_option("--rules", arguments->rules_file,
                      "Rules: where on the page each field is, by CSS selector (JSON)");
    parser.add_option("--prompt", arguments->prompt,
                      "What is wanted, in words, for a language model (model.name)");
    parser.add_option(
        "--learn", arguments->learn_file,
        "Have a model write this rules file from the first pages; if there is one, use it without a model");
    builder.setting(parser, {"-c,--concurrent", "scrape.concurrency", "Pages fetched at once (5)"});
    add_header_options(parser, arguments->headers);
    builder.network_settings(parser);
    return {&parser, [arguments](const CommandContext& session) {
                const auto code = run(session, *arguments);
                return code ? *code : give_up(session, code.error());
            }};
}

}  // namespace quarry::cli
