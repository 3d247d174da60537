// `quarry demo`: quarry at work on a site that it brings along, so that the first command anybody tries works
// on any machine, without a network.
#include <chrono>
#include <condition_variable>
#include <mutex>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/demo/server.h"
#include "app/demo/site.h"
#include "app/services/index_access.h"
#include "cli/command.h"
#include "cli/commands/crawl_wait.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/crawl_text.h"
#include "cli/output/terminal.h"
#include "crawl/options/options.h"
#include "model/json/readable.h"
#include "search/json.h"

namespace quarry::cli {
namespace {

namespace json = boost::json;
using SteadyClock = std::chrono::steady_clock;

constexpr const char* collection = "demo";
constexpr const char* questions[] = {"how do I crawl a site that needs a password?",
                                     "what happens if the power fails during a crawl?"};

double milliseconds_since(SteadyClock::time_point start) {
    return std::chrono::duration<double, std::milli>(SteadyClock::now() - start).count();
}

// The pages of an earlier demo had another port. Whatever else is in the collection stays. It needs no
// service, whatever the settings say: a demo has to work without.
Result<void> make_room(const app::DataSource& place) {
    const auto reader = app::open_reader(place);
    const auto known = reader ? (*reader)->collection(collection) : std::nullopt;
    if (!known || !*known)
        TRY(app::ask(place, "set_collection", {{"name", collection}, {"provider", "builtin"}}));
    TRY(app::ask(place, "forget", {{"collection", collection}, {"host", "127.0.0.1"}}));
    return {};
}

json::object crawl_of(const app::DemoServer& server) {
    crawl::CrawlOptions options{.urls = {server.origin() + "/"}, .limit = 100, .collection = collection};
    // Nothing but the demo's own server, and only in this crawl.
    options.allow_networks = {"127.0.0.1/32"};
    return to_json(options);
}

class Story {
public:
    Story(const CommandContext& session, const app::DataSource& place) : session_(session), place_(place) {}

    Result<void> tell(const app::DemoServer& server) {
        const auto pages = app::demo_pages().size();
        record_["url"] = server.origin() + "/";
        tell_line(fmt::format("quarry brings a manual of {} pages along, and serves it at {}/", pages,
                              server.origin()));
        tell_line();
        TRY(make_room(place_));
        TRY(crawl(server));
        app::SearchService service(place_);
        json::array asked;
        for (const char* question : questions) asked.push_back(TRY(ask(service, question)));
        record_["questions"] = std::move(asked);
        tell_line("Now a site of your own:");
        for (const char* line :
             {"quarry crawl https://docs.example.com --wait", "quarry search \"how do I …\"",
              "quarry status        # what it did", "quarry --help        # what else it can do"})
            tell_line(fmt::format("  {}", line));
        if (session_.json) write_data(readable_json(record_) + "\n");
        return {};
    }

    bool went_well() const { return went_well_; }

private:
    Result<void> crawl(const app::DemoServer& server) {
        tell_command(fmt::format("quarry crawl {}/ --collection {} --wait", server.origin(), collection));
        const auto start = SteadyClock::now();
        const Group group = TRY(wait_for_crawl(
            session_, place_, {.method = "crawl", .params = crawl_of(server)}, Narration::silent));
        const double seconds = milliseconds_since(start) / 1'000;
        went_well_ = group.state == JobState::completed && group.counters.failed == 0 && !was_interrupted();
        record_["pages"] = group.counters.completed;
        record_["chunks"] = group.counters.chunks;
        record_["seconds"] = seconds;
        tell_line(
            fmt::format("{} pages fetched, read and kept as markdown; {} passages can be found; {:.2f} s",
                        with_commas(group.counters.completed), with_commas(group.counters.chunks), seconds));
        tell_line();
        return {};
    }

    Result<json::object> ask(app::SearchService& service, const std::string& question) {
        tell_command(fmt::format("quarry search \"{}\" --collection {} --limit 3", question, collection));
        const search::SearchRequest request{.query = question, .collection = collection, .limit = 3};
        const auto start = SteadyClock::now();
        const search::SearchAnswer answer = TRY(service.search(request));
        const double milliseconds = milliseconds_since(start);
        for (std::size_t i = 0; i < answer.hits.size(); ++i) tell_hit(i + 1, answer.hits[i]);
        tell_line(fmt::format("({:.1f} ms)", milliseconds));
        tell_line();
        went_well_ = went_well_ && !answer.hits.empty();
        json::object record = to_json(answer, request);
        record["milliseconds"] = milliseconds;
        return record;
    }

    void tell_hit(std::size_t number, const search::Hit& hit) {
        tell_line(fmt::format("  {}  {}  {}", number,
                              session_.terminal.paint_data(Colour::bold, printable(hit.label.title)),
                              session_.terminal.paint_data(Colour::grey, printable(hit.label.path))));
        if (hit.passages.empty()) return;
        const auto room = static_cast<std::size_t>(std::clamp(session_.terminal.columns, 40, 120)) - 6;
        tell_line("     " + beginning(printable(hit.passages.front().snippet.text), room));
    }

    // At most so many bytes, whole words; of a text without spaces, whole characters.
    static std::string beginning(const std::string& text, std::size_t room) {
        if (text.size() <= room) return text;
        std::size_t end = room - 3;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
        const std::size_t space = text.rfind(' ', end);
        if (space != std::string::npos && space > room / 2) end = space;
        return text.substr(0, end) + "…";
    }

    void tell_command(const std::string& command) {
        tell_line(session_.terminal.paint_data(Colour::green, "$ ") + command);
    }

    // The story is what the command is for, so it is data; with --json the record is.
    void tell_line(const std::string& line = {}) const {
        if (!session_.json) write_data(line + "\n");
    }

    const CommandContext& session_;
    const app::DataSource& place_;
    json::object record_;
    bool went_well_ = false;
};

void wait_for_interrupt() {
    const std::stop_token stop = stop_on_interrupt();
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, stop, [] { return false; });
}

int run_demo(const CommandContext& session, bool serve) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    const auto server = app::DemoServer::listen();
    if (!server) return give_up(session, server.error());
    (*server)->serve(app::demo_site((*server)->origin()));
    Story story(session, *place);
    const auto told = story.tell(**server);
    if (!told) return give_up(session, told.error());
    if (serve && !was_interrupted()) {
        say(fmt::format("The manual stays at {}/ until Ctrl-C", (*server)->origin()));
        wait_for_interrupt();
        return exit_success;
    }
    if (was_interrupted()) return exit_interrupted;
    return story.went_well() ? exit_success : exit_incomplete;
}

}  // namespace

Command add_demo(CommandBuilder& builder) {
    Parser& parser = builder.add("demo", "See quarry at work, on a site that it brings along",
                                 "quarry demo\n"
                                 "quarry demo --serve                  # then read the site in a browser\n"
                                 "quarry search \"robots.txt\" --collection demo   # it stays searchable\n"
                                 "quarry collections delete demo --yes");
    const auto serve = std::make_shared<bool>(false);
    parser.add_flag("--serve", *serve, "Go on serving the site until Ctrl-C");
    return {&parser, [serve](const CommandContext& session) { return run_demo(session, *serve); }};
}

}  // namespace quarry::cli
