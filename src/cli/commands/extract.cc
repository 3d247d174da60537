// `quarry extract`: pages of the web as data of the shape that was asked for.
#include <filesystem>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/services/models.h"
#include "app/remote/pages.h"
#include "app/services/web_access.h"
#include "cli/commands.h"
#include "cli/commands/extract_delivery.h"
#include "cli/interrupt.h"
#include "cli/output/files.h"
#include "cli/data_access.h"
#include "cli/commands/request_headers.h"
#include "cli/commands/url_list.h"
#include "work/page/scrape.h"

namespace quarry::cli {
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

Result<int> extract_over(app::RemoteApi& server, const Session& session, const ExtractArguments& arguments,
                         ExtractPlan plan) {
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

Result<int> extract_here(app::WebAccess& access, const Session& session, const ExtractArguments& arguments,
                         ExtractPlan plan) {
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

Result<int> run(const Session& session, const ExtractArguments& arguments) {
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
    return {&parser, [arguments](const Session& session) {
                const auto code = run(session, *arguments);
                return code ? *code : give_up(session, code.error());
            }};
}

}  // namespace quarry::cli
