// What the program cannot write: it says so, and never claims to have done what it has not.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/data_home.h"
#include "program/slow_site.h"

using namespace quarry::test;
using namespace std::chrono_literals;

namespace {

Ran run_to(const DataHome& home, const std::vector<std::string>& arguments, const std::string& output_to) {
    RunOptions options = home.options();
    options.output_to = output_to;
    return run_quarry(arguments, options);
}

}  // namespace

TEST_CASE("whatever prints data says when it is lost, and exits with 2") {
    SlowSite site(3, 0ms);
    const DataHome home;
    const Ran crawled = home.run({"crawl", site.url(), "--allow-private", "--wait", "--json"});
    REQUIRE(crawled.exit_code == 0);
    const std::string id = id_in(crawled);
    std::ofstream(home.file("page.html")) << "<p>Granite</p>";
    std::ofstream(home.file("batch.jsonl")) << R"({"_id":"1","text":"page"})" << "\n";
    std::ofstream(home.file("robots.txt")) << "User-agent: *\nDisallow: /a\n";

    const std::vector<std::vector<std::string>> commands = {
        {"--help"},
        {"--version"},
        {"completion", "bash"},
        {"config", "show"},
        {"config", "show", "--json"},
        {"doctor", "--json"},
        {"convert", home.file("page.html"), "--full-page"},
        {"robots", "https://a.example/b", "--file", home.file("robots.txt")},
        {"scrape", site.url(), "--allow-private"},
        {"scrape", site.url(), "--allow-private", "--json"},
        {"map", site.url(), "--allow-private"},
        {"crawl", site.url(), "--allow-private", "--wait", "--json"},
        {"search", "page"},
        {"search", "page", "--json"},
        {"search", "--batch", home.file("batch.jsonl")},
        {"status", "--list", "--json"},
        {"status", id},
        {"queue", "status"},
        {"queue", "list", "--json"},
        {"collections", "list"},
        {"export", "pages"},
        {"export", "pages", id},
        {"export", "chunks"},
        {"keys", "create"},
        {"keys", "list"},
        {"backup", home.file("copy.db"), "--json"},
    };
    for (const auto& command : commands) {
        CAPTURE(fmt::format("{}", fmt::join(command, " ")));
        const Ran full = run_to(home, command, "/dev/full");
        CAPTURE(full.err);
        CHECK(full.exit_code == 2);
        CHECK(contains(full.err, "cannot write to standard output: No space left on device"));
    }
    std::filesystem::remove(home.file("copy.db"));
    for (const auto& command : commands) {
        CAPTURE(fmt::format("{}", fmt::join(command, " ")));
        const Ran closed = run_to(home, command, "-");
        CAPTURE(closed.err);
        CHECK(closed.exit_code == 2);
        CHECK(contains(closed.err, "cannot write to standard output: Bad file descriptor"));
    }
    CHECK(home.run({"export", "pages"}).exit_code == 0);
}

TEST_CASE("standard error that takes nothing costs words, and nothing else") {
    SlowSite site(2, 0ms);
    const DataHome home;
    const std::vector<std::vector<std::string>> commands = {
        {"scrape", site.url(), site.server().url("/nothing"), "--allow-private"},
        {"crawl", site.url(), "--allow-private", "--wait", "--json"},
        {"search", "nothingofthekind"},
        {"export", "pages", "-o", home.file("pages.jsonl")},
        {"scrapee"},
    };
    for (const auto& command : commands) {
        CAPTURE(fmt::format("{}", fmt::join(command, " ")));
        const Ran heard = home.run(command);
        for (const std::string& place : {std::string("/dev/full"), std::string("-")}) {
            RunOptions options = home.options();
            options.errors_to = place;
            const Ran unheard = run_quarry(command, options);
            CHECK(unheard.exit_code == heard.exit_code);
            CHECK(unheard.out.empty() == heard.out.empty());
        }
    }
}

TEST_CASE("a reader of both streams that leaves ends the program quietly") {
    const TemporaryFolder folder;
    const std::string page = folder.write("big.html", "<p>" + std::string(4'000'000, 'x') + "</p>");

    for (int run = 0; run < 10; ++run) {
        const Ran ran = run_quarry({"convert", page, "--full-page"},
                                   {.errors_as_output = true, .close_output_after_bytes = 10});
        CHECK(ran.exit_code < 128);
    }
}

TEST_CASE("-o writes through a symlink, a FIFO and a device, and says what they did not take") {
    const TemporaryFolder folder;
    const std::string page = folder.write("page.html", "<p>Granite</p>");
    std::filesystem::create_symlink("real.md", folder.file("link"));
    std::filesystem::create_symlink("/dev/full", folder.file("full"));
    const auto convert_to = [&](const std::string& name) {
        return run_quarry({"convert", page, "--full-page", "-o", name});
    };

    const Ran linked = convert_to(folder.file("link"));
    const Ran full = convert_to(folder.file("full"));
    const Ran to_stream = convert_to("/dev/stdout");

    CHECK(linked.exit_code == 0);
    CHECK(std::filesystem::is_symlink(folder.file("link")));
    CHECK(std::filesystem::file_size(folder.file("real.md")) > 0);
    CHECK(full.exit_code == 2);
    CHECK(contains(full.err, "No space left on device"));
    CHECK(std::filesystem::is_symlink(folder.file("full")));
    CHECK(to_stream.exit_code == 0);
    CHECK(to_stream.out == "Granite\n");
}

TEST_CASE("an export into a file is complete or not there, and says why") {
    SlowSite site(3, 0ms);
    const DataHome home;
    REQUIRE(home.run({"crawl", site.url(), "--allow-private", "--wait"}).exit_code == 0);
    std::filesystem::create_symlink("/dev/full", home.file("full"));

    const Ran full = home.run({"export", "pages", "-o", home.file("full")});
    const Ran nowhere = home.run({"export", "pages", "-o", home.file("full/below/pages.jsonl")});
    std::filesystem::create_directory(home.file("new"));
    const Ran written = home.run({"export", "pages", "-o", home.file("new/pages.jsonl")});

    CHECK(full.exit_code == 2);
    CHECK(contains(full.err, "cannot write " + home.file("full")));
    CHECK(nowhere.exit_code == 2);
    CHECK(written.exit_code == 0);
    CHECK(std::filesystem::exists(home.file("new/pages.jsonl")));
    CHECK(std::distance(std::filesystem::directory_iterator(home.file("new")), {}) == 1);
}

TEST_CASE("what a terminal would obey does not reach one, and is in files as it was") {
    const TemporaryFolder folder;
    const std::string page = folder.write("page.html",
                                          "<p>a&#x1b;[2Jb\xC2\x9B"
                                          "2Jc größer</p>");
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    REQUIRE(terminal >= 0);
    REQUIRE(::grantpt(terminal) == 0);
    REQUIRE(::unlockpt(terminal) == 0);
    const std::string name = ::ptsname(terminal);
    const int held = ::open(name.c_str(), O_RDWR | O_NOCTTY);  // what is written stays until it is read

    const Ran shown = run_quarry({"convert", page, "--full-page", "--format", "html"}, {.output_to = name});
    const Ran piped = run_quarry({"convert", page, "--full-page", "--format", "html"});
    const Ran refused = run_quarry({"convert", folder.file("\x1b[2J\xC2\x9B"
                                                           "31m\x9B")},
                                   {.errors_to = name});

    std::string seen(65'536, '\0');
    seen.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(terminal, seen.data(), seen.size()))));
    ::close(held);
    ::close(terminal);
    CAPTURE(seen);
    CHECK(shown.exit_code == 0);
    CHECK(contains(seen, "größer"));
    CHECK_FALSE(contains(seen, "\033[2J"));
    CHECK_FALSE(contains(seen, "\xC2\x9B"));
    CHECK_FALSE(contains(seen, "\x9B\r"));
    CHECK(refused.exit_code == 2);
    CHECK(contains(seen, "File not found"));
    CHECK(contains(piped.out, "\xC2\x9B"));
}
