// `quarry import`: from files to answers.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "program/data_home.h"
#include "program/small_pdf.h"

using namespace quarry::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

// The ids of what is found, sorted.
std::set<std::string> found(const DataHome& home, const std::string& words,
                            const std::string& collection = "default") {
    const Ran ran = home.run({"search", words, "--json", "--mode", "keyword", "--collection", collection});
    std::set<std::string> ids;
    if (ran.exit_code != 0) return ids;
    const json::value answer = json::parse(ran.out);
    for (const json::value& hit : answer.at("hits").as_array()) ids.emplace(hit.at("id").as_string());
    return ids;
}

// The URLs of all stored pages, with what is there twice twice.
std::multiset<std::string> stored(const DataHome& home, const std::string& collection = "default") {
    const Ran ran = home.run({"export", "pages", "--collection", collection, "--without-content"});
    std::multiset<std::string> urls;
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) urls.emplace(json::parse(line).at("url").as_string());
    return urls;
}

json::object record_of(const Ran& ran) {
    return json::parse(ran.out).as_object();
}

}  // namespace

TEST_CASE("documents of a JSON lines file are found by their words, under their ids") {
    const DataHome home;
    const TemporaryFolder files;
    files.write("corpus.jsonl",
                "{\"_id\":\"7\",\"title\":\"Granite\",\"text\":\"An igneous rock of quartz and feldspar.\"}\n"
                "{\"_id\":\"8\",\"title\":\"Marble\",\"text\":\"Limestone under heat and "
                "pressure.\",\"metadata\":{}}\n"
                "{\"_id\":\"9\",\"url\":\"https://stones.example/slate\",\"text\":\"Slate splits into thin "
                "plates.\"}\n");

    const Ran ran = home.run({"import", files.file("corpus.jsonl"), "--collection", "stones"});

    CHECK(ran.exit_code == 0);
    CHECK(ran.out.empty());
    CHECK(contains(ran.err, "3 documents (3 new)"));
    CHECK(contains(ran.err, "3 chunks"));
    CHECK(contains(ran.err, "Try: quarry search \"…\" --collection stones"));
    CHECK(found(home, "feldspar", "stones") == std::set<std::string>{"7"});
    CHECK(found(home, "limestone", "stones") == std::set<std::string>{"8"});
    CHECK(found(home, "plates", "stones") == std::set<std::string>{"9"});
    CHECK(stored(home, "stones") == std::multiset<std::string>{"7", "8", "https://stones.example/slate"});
}

TEST_CASE("lines from standard input are imported") {
    const DataHome home;
    RunOptions options = home.options();
    options.input = "{\"_id\":\"1\",\"text\":\"piped words\"}\n{\"_id\":\"2\",\"text\":\"more words\"}\n";

    const Ran ran = run_quarry({"import", "-", "--json"}, options);

    CHECK(ran.exit_code == 0);
    const json::object record = record_of(ran);
    CHECK(record.at("success") == true);
    CHECK(record.at("added") == 2);
    CHECK(record.at("collection") == "default");
    CHECK(found(home, "piped") == std::set<std::string>{"1"});
}

TEST_CASE("lines that are no documents are named and counted, and the others are imported") {
    const DataHome home;
    const TemporaryFolder files;
    const std::string path = files.write("corpus.jsonl",
                                         "{\"_id\":\"1\",\"text\":\"first words\"}\n"
                                         "not JSON\n"
                                         "\n"
                                         "{\"_id\":\"3\",\"text\":\"\"}\n"
                                         "{\"text\":\"nameless\"}\n"
                                         "{\"_id\":\"5\",\"text\":\"last words\"}\n");

    const Ran ran = home.run({"import", path, "--json"});

    CHECK(ran.exit_code == 1);
    CHECK(contains(ran.err, path + ": line 2 is no JSON object"));
    CHECK(contains(ran.err, "line 4 has no words"));
    CHECK(contains(ran.err, "line 5 has neither"));
    CHECK(record_of(ran).at("failed") == 3);
    CHECK(record_of(ran).at("added") == 2);
    CHECK(found(home, "words") == std::set<std::string>{"1", "5"});
}

TEST_CASE("a folder is imported with all below it, and a second time only what has changed") {
    const DataHome home;
    const TemporaryFolder files;
    const fs::path root = fs::canonical(files.path());
    const auto url = [&](const std::string& name) { return "file://" + (root / name).string(); };
    files.write("guide.md", "---\ntitle: The guide\n---\n# Quickstart\n\nHow to hew basalt.\n");
    files.write("deep/er/notes.txt", "Notes on obsidian.");
    files.write("page.html",
                "<html><title>Pumice</title><body><main><h1>Pumice</h1><p>A stone that floats on water, as "
                "every child knows who has tried it in the bath.</p></main></body></html>");
    files.write("paper.pdf", small_pdf("Thoughts about tuff and its uses"));
    files.write("picture.png", "no words");
    files.write(".hidden.md", "hidden words");

    const Ran first = home.run({"import", files.path(), "--json"});
    CHECK(first.exit_code == 0);
    CHECK(record_of(first).at("added") == 4);
    CHECK(contains(first.err, "Left out 1 file"));
    CHECK(found(home, "basalt") == std::set<std::string>{url("guide.md")});
    CHECK(found(home, "obsidian") == std::set<std::string>{url("deep/er/notes.txt")});
    CHECK(found(home, "floats") == std::set<std::string>{url("page.html")});
    CHECK(found(home, "tuff") == std::set<std::string>{url("paper.pdf")});

    files.write("guide.md", "# Quickstart\n\nHow to hew sandstone.\n");
    fs::remove(files.file("page.html"));
    const Ran second = home.run({"import", files.path(), "--json"});
    CHECK(second.exit_code == 0);
    CHECK(record_of(second).at("changed") == 1);
    CHECK(record_of(second).at("unchanged") == 2);
    CHECK(record_of(second).at("added") == 0);
    CHECK(found(home, "basalt").empty());
    CHECK(found(home, "sandstone") == std::set<std::string>{url("guide.md")});
    CHECK(found(home, "floats") == std::set<std::string>{url("page.html")});

    const Ran third = home.run({"import", files.path(), "--delete", "--json"});
    CHECK(record_of(third).at("forgotten") == 1);
    CHECK(record_of(third).at("unchanged") == 3);
    CHECK(found(home, "floats").empty());
    CHECK(stored(home).size() == 3);
}

TEST_CASE("single files are imported, whatever they are called") {
    const DataHome home;
    const TemporaryFolder files;
    files.write("100% sure?.md", "words about certainty");
    files.write("README", "words about reading");

    const Ran ran = home.run({"import", files.file("100% sure?.md"), files.file("README"), "--json"});
    const Ran again = home.run({"import", files.file("README"), "--json"});

    CHECK(ran.exit_code == 0);
    CHECK(record_of(ran).at("added") == 2);
    CHECK(record_of(again).at("unchanged") == 1);
    CHECK(found(home, "certainty").size() == 1);
}

TEST_CASE("what is not there is said before anything is done") {
    const DataHome home;
    const TemporaryFolder files;
    files.write("a.md", "words");

    const Ran ran = home.run({"import", files.file("a.md"), files.file("none.md")});

    CHECK(ran.exit_code == 2);
    CHECK(contains(ran.err, "File not found: "));
    CHECK(stored(home).empty());
}

TEST_CASE("pages can be kept out of the index") {
    const DataHome home;
    const TemporaryFolder files;
    files.write("a.md", "words of silence");

    const Ran ran = home.run({"import", files.path(), "--no-embed"});

    CHECK(ran.exit_code == 0);
    CHECK(stored(home).size() == 1);
    CHECK(found(home, "silence").empty());
}

TEST_CASE("a worker in the background is given what is imported") {
    const DataHome home;
    const TemporaryFolder files;
    REQUIRE(home.run({"daemon", "start"}).exit_code == 0);
    std::ofstream lines(files.file("corpus.jsonl"));
    for (int i = 0; i < 3'000; ++i)
        lines << fmt::format("{{\"_id\":\"{}\",\"text\":\"stone number{} of the heap\"}}\n", i, i);
    lines.close();

    const Ran ran = home.run({"import", files.file("corpus.jsonl"), "--json"});

    CHECK(ran.exit_code == 0);
    CHECK(record_of(ran).at("added") == 3'000);
    CHECK(found(home, "number2999") == std::set<std::string>{"2999"});
    CHECK(home.run({"daemon", "stop"}).exit_code == 0);
}

namespace {

// A document whose last word is "chalcedony".
void write_large_document(const TemporaryFolder& files) {
#ifdef QUARRY_SANITIZED
    constexpr std::size_t bytes = 18u << 20;  // enough for more than one message
#else
    constexpr std::size_t bytes = 50u << 20;
#endif
    std::string words;
    for (int i = 0; words.size() < bytes; ++i)
        words += fmt::format("Paragraph {} is about the stones of the {}th quarry and says little.\n\n", i,
                             i % 977);
    files.write("large.md", words + "The last word is chalcedony.\n");
}

}  // namespace

TEST_CASE("a document of fifty megabytes is imported") {
    const DataHome home;
    const TemporaryFolder files;
    write_large_document(files);

    // Takes its time: 43,000 chunks, and a space fitted on them.
    StartedQuarry import({"import", files.path()}, home.options());

    CHECK(import.wait() == 0);
    CHECK(stored(home).size() == 1);
    CHECK(found(home, "chalcedony").size() == 1);
}

TEST_CASE("a worker in the background takes a document of fifty megabytes") {
    const DataHome home;
    const TemporaryFolder files;
    write_large_document(files);
    REQUIRE(home.run({"daemon", "start"}).exit_code == 0);

    const Ran ran = home.run({"import", files.path(), "--no-embed", "--json"});

    CHECK(ran.exit_code == 0);
    CHECK(record_of(ran).at("added") == 1);
    CHECK(stored(home).size() == 1);
    for (const auto& entry : fs::directory_iterator(home.data()))
        CHECK_FALSE(contains(entry.path().filename().string(), "import-"));
}

TEST_CASE("an import that is killed again and again loses nothing and has nothing twice") {
    const DataHome home;
    const TemporaryFolder files;
    std::multiset<std::string> expected;
    std::ofstream lines(files.file("corpus.jsonl"));
    for (int i = 0; i < 20'000; ++i) {
        lines << fmt::format("{{\"_id\":\"d{}\",\"text\":\"stone number{} {}\"}}\n", i, i,
                             std::string(300, 'x'));
        expected.insert("d" + std::to_string(i));
    }
    lines.close();
    for (const auto life : {30ms, 80ms, 150ms, 250ms, 400ms, 700ms}) {
        StartedQuarry import({"import", files.file("corpus.jsonl")}, home.options());
        std::this_thread::sleep_for(life);
        import.send(SIGKILL);
        import.wait();
    }

    const Ran last = home.run({"import", files.file("corpus.jsonl"), "--json"});

    CHECK(last.exit_code == 0);
    CHECK(record_of(last).at("documents") == 20'000);
    CHECK(stored(home) == expected);
    for (const int i : {0, 9'999, 19'999})
        CHECK(found(home, "number" + std::to_string(i)) == std::set<std::string>{"d" + std::to_string(i)});
}
