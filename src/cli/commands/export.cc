// `quarry export`: stored pages, chunks and vectors as JSON lines, a few in memory at a time.
#include <optional>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/services/index_report.h"
#include "cli/command.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/crawl_text.h"
#include "cli/output/files.h"
#include "model/json/output.h"
#include "model/json/readable.h"

namespace quarry::cli {
namespace {

struct ExportArguments {
    std::string id{}, collection{}, output{};
    bool without_content = false;
    bool chunks = false, with_vectors = false;
};

// Standard output, or a file that appears under its name only when it is complete.
class LineOutput {
public:
    static Result<LineOutput> open(const std::string& path) {
        LineOutput output;
        if (!path.empty()) output.file_.emplace(TRY(OutputFile::open(path)));
        return output;
    }

    // False when nobody reads any more.
    Result<bool> write(std::string_view text) {
        if (!file_) return write_data(text);
        TRY(file_->write(text));
        return true;
    }

    Result<void> finish() { return file_ ? file_->finish() : Result<void>(); }

private:
    std::optional<OutputFile> file_;
};

struct Exported {
    std::int64_t count = 0;
    std::int64_t damaged = 0;  // pages that could not be read
};

// What is damaged is passed over: a damaged database is saved with this.
void pass_over(const store::StoredPages& read, Exported& exported) {
    constexpr std::int64_t most_named = 20;
    for (const Error& damage : read.damaged)
        if (++exported.damaged <= most_named) say(damage.message);
}

// Asks for the pages after those that were read. False at the end, and where a damaged database gives the same pages
// again: its pages are no longer in the order of their ids, and an export would never end.
bool move_on(store::PageQuery& wanted, const store::StoredPages& read, Exported& exported) {
    if (!read.next) return false;
    if (*read.next <= wanted.after) {
        ++exported.damaged;
        say("the database is damaged: the pages after these are out of order and cannot be read");
        return false;
    }
    wanted.after = *read.next;
    return true;
}

Result<Exported> export_pages(store::Reader& reader, const ExportArguments& arguments) {
    store::PageQuery wanted{.collection = arguments.collection,
                            .limit = 50,
                            .with_content = !arguments.without_content,
                            .pass_damaged = true};
    if (!arguments.id.empty()) wanted.group = TRY(find_crawl(reader, arguments.id)).id;
    LineOutput output = TRY(LineOutput::open(arguments.output));
    Exported exported;
    for (bool more = true; more;) {
        const auto read = TRY(reader.pages(wanted));
        pass_over(read, exported);
        std::string lines;
        for (const StoredPage& page : read.pages) lines += readable_json(to_json(page)) + "\n";
        exported.count += std::ssize(read.pages);
        if (!TRY(output.write(lines))) return exported;
        more = move_on(wanted, read, exported);
    }
    TRY(output.finish());
    return exported;
}

Result<Exported> export_chunks(const app::DataSource& place, store::Reader& reader,
                               const ExportArguments& arguments) {
    const auto source = TRY(app::open_chunks(place));
    const auto with_vectors = arguments.with_vectors ? index::WithVectors::yes : index::WithVectors::no;
    store::PageQuery wanted{.collection = arguments.collection, .limit = 50, .pass_damaged = true};
    if (!arguments.id.empty()) wanted.group = TRY(find_crawl(reader, arguments.id)).id;
    LineOutput output = TRY(LineOutput::open(arguments.output));
    Exported exported;
    for (bool more = true; more;) {
        const auto read = TRY(reader.pages(wanted));
        pass_over(read, exported);
        for (const StoredPage& page : read.pages) {
            std::string lines;
            const boost::json::array chunks = TRY(source->chunks_of(page, with_vectors));
            for (const boost::json::value& chunk : chunks) lines += readable_json(chunk) + "\n";
            exported.count += std::ssize(chunks);
            if (!TRY(output.write(lines))) return exported;
        }
        more = move_on(wanted, read, exported);
    }
    TRY(output.finish());
    return exported;
}

int run_export(const CommandContext& session, const ExportArguments& arguments) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    const auto reader = app::open_reader(*place);
    if (!reader) return give_up(session, reader.error());
    const auto exported =
        arguments.chunks ? export_chunks(*place, **reader, arguments) : export_pages(**reader, arguments);
    if (!exported) return give_up(session, exported.error());
    const auto& [count, damaged] = *exported;
    if (!arguments.output.empty())
        say(fmt::format("{} in {}", counted(count, arguments.chunks ? "chunk" : "page"), arguments.output));
    if (damaged > 0)
        say(fmt::format(
            "Left out because of damage: {}. Crawl again, or put a backup in the database's place "
            "(quarry backup makes them)",
            counted(damaged, "page")));
    else if (count == 0)
        say(arguments.chunks ? "There are no chunks" : "There are no pages");
    return count > 0 && damaged == 0 ? exit_success : exit_incomplete;
}

}  // namespace

Command add_export(CommandBuilder& builder) {
    Parser& parser = builder.add("export", "Print what is stored",
                                 "quarry export pages > pages.jsonl\n"
                                 "quarry export pages 0199c5a0 -o docs.jsonl\n"
                                 "quarry export pages --collection news | jq -r .url\n"
                                 "quarry export chunks --collection news > chunks.jsonl\n"
                                 "quarry export vectors -o vectors.jsonl");
    const auto arguments = std::make_shared<ExportArguments>();
    const auto add = [&](const std::string& name, const std::string& summary) -> Parser& {
        Parser& what = parser.add_command(name, summary);
        what.add_option("id", arguments->id, "Only the pages of this crawl, as it saw them");
        what.add_option("--collection", arguments->collection, "Only the pages of this collection");
        what.add_option("-o,--output", arguments->output, "Write to this file");
        return what;
    };
    add("pages", "Stored pages as JSON lines, one page each")
        .add_flag("--without-content", arguments->without_content, "Leave out markdown, links and metadata");
    add("chunks", "Passages as the search index has them, one a line");
    add("vectors", "The same with their vectors");
    parser.require_command();
    return {&parser, [arguments, &parser](const CommandContext& session) {
                arguments->with_vectors = parser.chose("vectors");
                arguments->chunks = arguments->with_vectors || parser.chose("chunks");
                return run_export(session, *arguments);
            }};
}

}  // namespace quarry::cli
