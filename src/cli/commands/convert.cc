// `quarry convert`: local files to markdown, one or many, without network.
#include <atomic>
#include <mutex>
#include <sstream>
#include <thread>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/services/web_access.h"
#include "base/guarded.h"
#include "cli/command.h"
#include "cli/commands/page_options.h"
#include "cli/exit.h"
#include "cli/output/files.h"
#include "cli/output/terminal.h"
#include "model/json/output.h"
#include "model/json/readable.h"
#include "work/page/read_document.h"

namespace quarry::cli {
namespace {

struct ConvertOptions {
    std::string file{}, url{}, list{}, output{};
    DocumentOptions document{};
};

// One line of the list: "id TAB path TAB url".
struct ListEntry {
    std::string id{}, path{}, url{};
};

// A local file has no Content-Type; its name says as much. What it says nothing about is told from the bytes.
std::string content_type_of(const std::string& path) {
    constexpr std::pair<std::string_view, const char*> types[] = {
        {".html", "text/html"},      {".htm", "text/html"},          {".xhtml", "application/xhtml+xml"},
        {".md", "text/markdown"},    {".markdown", "text/markdown"}, {".txt", "text/plain"},
        {".pdf", "application/pdf"}, {".json", "application/json"}};
    for (const auto& [ending, type] : types)
        if (path.ends_with(ending)) return type;
    return "";
}

class Converter {
public:
    Converter(const CommandContext& session, extract::ExtractOptions options)
        : session_(session), options_(std::move(options)), limits_(app::pdf_limits(session.settings)) {}

    const Formats& formats() const { return options_.formats; }

    Result<Document> convert(const std::string& path, const std::string& address) const {
        Page page{.status = 200,
                  .content_type = content_type_of(path),
                  .body = TRY(read_input(path, session_.settings.bytes("fetch.max_body")))};
        page.url = page.final_url = address.empty() ? "" : TRY(url::Url::parse(address)).href();
        auto document = work::read_document(page, options_, limits_);
        if (!document)
            return fail(document.error().code, fmt::format("{}: {}", path, document.error().message));
        return document;
    }

private:
    const CommandContext& session_;
    extract::ExtractOptions options_;
    fetch::PdfLimits limits_;
};

int fail_with(const CommandContext& session, const Error& error, int exit_code) {
    if (session.json) {
        const boost::json::object record = {{"success", false}, {"error", error.message}};
        write_data(readable_json(record) + "\n");
    }
    say_error(session.terminal, error.message);
    return exit_code;
}

std::string json_record(const Document& document, const Formats& formats) {
    boost::json::object record = {{"success", true}};
    for (const auto& [name, value] : to_json(document, formats)) record[name] = value;
    return readable_json(record) + "\n";
}

int convert_one(const CommandContext& session, const Converter& converter, const ConvertOptions& options) {
    const auto document = converter.convert(options.file, options.url);
    if (!document) {
        return fail_with(session, document.error(), exit_codes_of(document.error().code).of_page);
    }
    if (!document->warning.empty()) say(fmt::format("warning: {}", document->warning));
    const std::string text = session.json ? json_record(*document, converter.formats())
                                          : plain_output(*document, converter.formats());
    if (options.output.empty()) {
        write_data(text);
        return exit_success;
    }
    if (const auto written = write_file(options.output, text); !written)
        return fail_with(session, written.error(), exit_error);
    return exit_success;
}

Result<std::vector<ListEntry>> read_list(const std::string& path) {
    constexpr std::uint64_t longest_list = 1ULL << 30;
    std::istringstream lines(TRY(read_input(path, longest_list)));
    std::vector<ListEntry> entries;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty()) continue;
        std::istringstream fields(line);
        ListEntry entry;
        std::getline(fields, entry.id, '\t');
        std::getline(fields, entry.path, '\t');
        std::getline(fields, entry.url, '\t');
        entries.push_back(std::move(entry));
    }
    return entries;
}

// An id becomes a file name, so it must not name a path.
Result<void> check_id(const std::string& id) {
    if (id.empty() || id == "." || id == ".." || id.find('/') != std::string::npos)
        return fail(ErrorCode::invalid_argument, fmt::format("the id \"{}\" cannot be a file name", id));
    return {};
}

struct Tally {
    std::size_t succeeded = 0, failed = 0;
    std::size_t unwritable = 0;  // of those that failed
};

// `tally` is of this one.
Result<void> convert_entry(const Converter& converter, const ListEntry& entry, const std::string& folder,
                           Tally& tally) {
    tally = {.failed = 1};
    TRY(check_id(entry.id));
    const Document document = TRY(converter.convert(entry.path, entry.url));
    tally = {.failed = 1, .unwritable = 1};
    TRY(write_file(fmt::format("{}/{}{}", folder, entry.id, file_extension(converter.formats())),
                   plain_output(document, converter.formats())));
    tally = {.succeeded = 1};
    return {};
}

// Threads take the next entry from a shared counter; only the tally and standard error are shared.
Tally convert_entries(const CommandContext& session, const Converter& converter,
                      const std::vector<ListEntry>& entries, const std::string& folder) {
    std::atomic<std::size_t> next = 0;
    Guarded<Tally> tally;
    Progress progress(session.terminal, entries.size());
    const std::stop_token stop = stop_on_interrupt();
    const auto take_entries = [&] {
        for (std::size_t i = next++; i < entries.size() && !stop.stop_requested(); i = next++) {
            Tally one;
            const auto done = convert_entry(converter, entries[i], folder, one);
            tally.with([&](Tally& counts) {
                counts.succeeded += one.succeeded;
                counts.failed += one.failed;
                counts.unwritable += one.unwritable;
                if (!done) {
                    progress.clear();
                    say_error(session.terminal, fmt::format("{}: {}", entries[i].id, done.error().message));
                }
                progress.show(counts.succeeded + counts.failed, entries[i].path);
            });
        }
    };
    const auto asked = static_cast<std::size_t>(session.settings.number("convert.jobs"));
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t threads = std::min(asked > 0 ? asked : cores, entries.size());
    std::vector<std::jthread> pool;
    for (std::size_t i = 1; i < threads; ++i) pool.emplace_back(take_entries);
    take_entries();
    pool.clear();
    return tally.with([](const Tally& counts) { return counts; });
}

int convert_list(const CommandContext& session, const Converter& converter, const ConvertOptions& options) {
    const auto entries = read_list(options.list);
    if (!entries) return fail_with(session, entries.error(), exit_error);
    const Tally tally = convert_entries(session, converter, *entries, options.output);
    const boost::json::object summary = {{"succeeded", tally.succeeded}, {"failed", tally.failed}};
    if (session.json) write_data(readable_json(summary) + "\n");
    say(fmt::format("{} succeeded, {} failed", tally.succeeded, tally.failed));
    if (was_interrupted()) return exit_interrupted;
    if (tally.unwritable > 0) return exit_error;
    return tally.failed == 0 ? exit_success : exit_incomplete;
}

int run_convert(const CommandContext& session, const ConvertOptions& options) {
    auto extract_as = extract_options(options.document);
    if (extract_as && session.json) extract_as->formats.metadata = true;  // as in the records of `scrape`
    if (!extract_as) return fail_with(session, extract_as.error(), exit_error);
    if (extract_as->formats.branding)
        return fail_with(session,
                         {ErrorCode::invalid_argument,
                          "branding is seen in a browser only: quarry scrape URL --format branding"},
                         exit_error);
    const Converter converter(session, *extract_as);
    if (options.list.empty() == options.file.empty())
        return fail_with(
            session,
            {ErrorCode::invalid_argument, "name one file (or - for standard input), or --list LIST.tsv"},
            exit_error);
    if (options.list.empty()) return convert_one(session, converter, options);
    if (options.output.empty())
        return fail_with(session, {ErrorCode::invalid_argument, "--list needs a folder to write to: -o DIR"},
                         exit_error);
    return convert_list(session, converter, options);
}

}  // namespace

Command add_convert(CommandBuilder& builder) {
    Parser& parser =
        builder.add("convert", "Convert local HTML, PDF, feeds or text to markdown, without network",
                    "quarry convert page.html --url https://a.example/page\n"
                    "curl -s https://a.example/ | quarry convert - --json\n"
                    "quarry convert paper.pdf -o paper.md\n"
                    "quarry convert --list pages.tsv -o out/      # lines: id TAB path TAB url");
    const auto options = std::make_shared<ConvertOptions>();
    parser.add_option("file", options->file, "The file, or - for standard input");
    parser.add_option("--url", options->url, "Where the page came from; makes its links absolute");
    parser.add_option("--list", options->list, "Convert many: a file with lines id TAB path TAB url");
    parser.add_option("-o,--output", options->output, "Write to this file; with --list, to this folder");
    builder.setting(parser, {"--jobs", "convert.jobs", "Threads for --list (one per core)"});
    add_document_options(parser, options->document);
    return {&parser, [options](const CommandContext& session) { return run_convert(session, *options); }};
}

}  // namespace quarry::cli
