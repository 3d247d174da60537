// How the program behaves as a program: help, wrong usage, settings, pipes.
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "program/run_quarry.h"

using namespace quarry::test;

TEST_CASE("without arguments it prints help with examples and succeeds") {
    const Ran ran = run_quarry({});

    CHECK(ran.exit_code == 0);
    CHECK(contains(ran.out, "Examples:\n  quarry demo"));
    CHECK(ran.err.empty());
}

TEST_CASE("every command's help leads with examples") {
    for (const char* command :
         {"scrape", "crawl", "status", "queue", "export", "schedule", "worker", "daemon", "backup", "convert",
          "map", "robots", "config", "completion", "manual"}) {
        CAPTURE(std::string(command));
        const Ran ran = run_quarry({command, "--help"});
        CHECK(ran.exit_code == 0);
        CHECK(contains(ran.out, std::string("Examples:\n  quarry ") + command));
        CHECK(ran.out.find("Examples:") < ran.out.find("Options:"));
    }
}

TEST_CASE("a mistyped command or option is refused with a suggestion") {
    const Ran command = run_quarry({"scarpe", "https://a.example/"});
    CHECK(command.exit_code == 2);
    CHECK(contains(command.err, "did you mean \"scrape\"?"));

    const Ran option = run_quarry({"scrape", "--fromats", "text", "https://a.example/"});
    CHECK(option.exit_code == 2);
    CHECK(contains(option.err, "did you mean \"--formats\"?"));
    CHECK(option.out.empty());
}

TEST_CASE("the version is printed, with the commit it was built from") {
    const Ran ran = run_quarry({"--version"});
    CHECK(ran.exit_code == 0);
    CHECK(std::regex_match(ran.out, std::regex(R"(quarry \d+\.\d+\.\d+ \(([0-9a-f]{12}|no commit)\)\n)")));
}

TEST_CASE("the manual page tells of every command and every setting") {
    const Ran manual = run_quarry({"manual"});
    const auto settings = boost::json::parse(run_quarry({"config", "show", "--json"}).out).as_object();

    REQUIRE(manual.exit_code == 0);
    CHECK(manual.out.starts_with(".\\\" Made by quarry manual.\n.TH QUARRY 1"));
    CHECK(contains(manual.out, ".SS \\fBquarry migrate\\-store\\fR\n"));
    CHECK(contains(manual.out, "\\fB\\-\\-allow\\-private\\fR\n"));
    for (const auto& [key, value] : settings) {
        CAPTURE(std::string(key));
        CHECK(contains(manual.out, "\\fB" + std::string(key) + "\\fR"));
    }
}

TEST_CASE("every command and option that the documents name is one there is") {
    std::map<std::string, std::string> helps;
    const auto help_of = [&](std::vector<std::string> words) -> const std::string& {
        words.push_back("--help");
        std::string name;
        for (const std::string& word : words) name += word + " ";
        const auto [entry, is_new] = helps.try_emplace(name);
        if (is_new) entry->second = run_quarry(words).out;
        return entry->second;
    };
    std::vector<std::filesystem::path> files = {QUARRY_SOURCE "/README.md"};
    for (const auto& entry : std::filesystem::directory_iterator(QUARRY_SOURCE "/docs"))
        if (entry.is_regular_file()) files.push_back(entry.path());
    // `quarry crawl ID --embed` within a line, or a line of a block of code that begins so.
    const std::string words = R"(quarry +([a-z][a-z-]*)(?: +([a-z][a-z-]*))?([^`|#]*))";
    const std::regex in_line("`" + words), in_block(R"(^ *(?:\$ )?)" + words);
    const std::regex option(R"( (--[a-z][a-z-]*))");
    int commands = 0;
    for (const auto& file : files) {
        std::istringstream lines(read_file(file.string()));
        bool is_block = false;
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("```")) is_block = !is_block;
            const std::regex& named = is_block || line.starts_with("    ") ? in_block : in_line;
            for (std::sregex_iterator it(line.begin(), line.end(), named), end; it != end; ++it) {
                CAPTURE(file.filename().string() + ": " + it->str());
                const std::string& of_command = help_of({(*it)[1]});
                CHECK(contains(of_command, "quarry " + (*it)[1].str()));
                const std::string& of_second = contains(of_command, "\n  " + (*it)[2].str() + " ")
                                                   ? help_of({(*it)[1], (*it)[2]})
                                                   : of_command;
                const std::string rest = " " + (*it)[3].str();
                for (std::sregex_iterator at(rest.begin(), rest.end(), option); at != end; ++at)
                    CHECK_MESSAGE(contains(of_command + of_second + help_of({}), (*at)[1].str()),
                                  (*at)[1].str());
                ++commands;
            }
        }
    }
    CHECK(commands > 50);
}

TEST_CASE("config show tells each value and where it came from, with secrets masked") {
    const TemporaryFolder folder;
    const std::string file =
        folder.write("quarry.toml", "[fetch]\nretries = 1\nbearer_token = \"tops3cret\"\n");

    const Ran ran =
        run_quarry({"--config", file, "config", "show", "--json"},
                   {.environment = {"QUARRY_FETCH_TIMEOUT=7s", "QUARRY_FETCH_PROXY=http://me:hush@p:1"}});

    REQUIRE(ran.exit_code == 0);
    const auto shown = boost::json::parse(ran.out).as_object();
    CHECK(shown.at("fetch.retries").at("source").as_string() == file);
    CHECK(shown.at("fetch.timeout").at("value").as_string() == "7s");
    CHECK(shown.at("fetch.timeout").at("source").as_string() == "QUARRY_FETCH_TIMEOUT");
    CHECK_FALSE(contains(ran.out, "tops3cret"));
    CHECK_FALSE(contains(ran.out, "hush"));
}

TEST_CASE("an unknown key in the configuration file stops every command with a suggestion") {
    const TemporaryFolder folder;
    const std::string file = folder.write("quarry.toml", "[fetch]\nretires = 1\n");

    const Ran ran = run_quarry({"--config", file, "convert", "x.html"});

    CHECK(ran.exit_code == 2);
    CHECK(contains(ran.err, "did you mean \"fetch.retries\"?"));
}

TEST_CASE("the configuration file in the XDG config home is read") {
    const TemporaryFolder folder;
    const std::string file = folder.write("quarry/quarry.toml", "[scrape]\nconcurrency = 9\n");

    const Ran ran =
        run_quarry({"config", "show", "--json"}, {.environment = {"XDG_CONFIG_HOME=" + folder.path()}});

    CHECK(boost::json::parse(ran.out).at("scrape.concurrency").at("source").as_string() == file);
}

TEST_CASE("completion scripts know the commands and their options") {
    for (const char* shell : {"bash", "zsh", "fish"}) {
        CAPTURE(std::string(shell));
        const Ran ran = run_quarry({"completion", shell});
        CHECK(ran.exit_code == 0);
        CHECK(contains(ran.out, "scrape"));
        CHECK(contains(ran.out, "full-page"));
        CHECK(contains(ran.out, "max-concurrency"));
        CHECK(contains(ran.out, "daemon"));
        CHECK_FALSE(contains(ran.out, "--background"));
        CHECK_FALSE(contains(ran.out, "pdf-text"));
    }
}

TEST_CASE("a closed pipe ends the program quietly") {
    const TemporaryFolder folder;
    const std::string page = folder.write("big.html", "<p>" + std::string(4'000'000, 'x') + "</p>");

    const Ran ran = run_quarry({"convert", page, "--full-page"}, {.close_output_after_bytes = 10});

    CHECK(ran.exit_code < 128);
    CHECK(ran.err.empty());
}
