// `quarry watch`: what is saved in a folder is found a moment later.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "program/data_home.h"

using namespace quarry::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

using Names = std::set<std::string>;

// A folder of documents and a data folder that follows it.
class Notes {
public:
    Notes() { fs::create_directories(root()); }

    std::string root() const { return (fs::canonical(files_.path()) / "notes").string(); }
    std::string file(const std::string& name) const { return root() + "/" + name; }
    void write(const std::string& name, const std::string& words) const {
        files_.write("notes/" + name, words);
    }
    const DataHome& home() const { return home_; }

    // The names of the files that have these words.
    Names found(const std::string& words) const {
        const Ran ran = home_.run({"search", words, "--json", "--mode", "keyword", "--limit", "100"});
        Names names;
        if (ran.exit_code != 0) return names;
        const json::value answer = json::parse(ran.out);
        for (const json::value& hit : answer.at("hits").as_array())
            names.insert(std::string(hit.at("url").as_string())
                             .substr(std::string("file://").size() + root().size() + 1));
        return names;
    }

    // Asks until that is the answer; the last answer if it never is.
    Names await(const std::string& words, const Names& expected) const {
        const auto deadline = std::chrono::steady_clock::now() + 60s;
        while (true) {
            Names names = found(words);
            if (names == expected || std::chrono::steady_clock::now() > deadline) return names;
            std::this_thread::sleep_for(50ms);
        }
    }

    std::int64_t stored_pages() const {
        const Ran ran = home_.run({"export", "pages", "--without-content"});
        return std::ranges::count(ran.out, '\n');
    }

private:
    TemporaryFolder files_;
    DataHome home_;
};

}  // namespace

TEST_CASE("what is written, changed, renamed and deleted in a watched folder is found as it is") {
    const Notes notes;
    notes.write("before.md", "words about agate");
    StartedQuarry watch({"watch", notes.root()}, notes.home().options());
    CHECK(notes.await("agate", {"before.md"}) == Names{"before.md"});

    notes.write("new.md", "words about beryl");
    CHECK(notes.await("beryl", {"new.md"}) == Names{"new.md"});

    notes.write("new.md", "words about citrine");
    CHECK(notes.await("citrine", {"new.md"}) == Names{"new.md"});
    CHECK(notes.found("beryl").empty());

    fs::rename(notes.file("new.md"), notes.file("renamed.md"));
    CHECK(notes.await("citrine", {"renamed.md"}) == Names{"renamed.md"});

    notes.write("deep/er/one.txt", "words about diamond");
    CHECK(notes.await("diamond", {"deep/er/one.txt"}) == Names{"deep/er/one.txt"});

    fs::rename(notes.file("deep"), notes.file("moved"));
    CHECK(notes.await("diamond", {"moved/er/one.txt"}) == Names{"moved/er/one.txt"});
    notes.write("moved/er/two.txt", "words about emerald");
    CHECK(notes.await("emerald", {"moved/er/two.txt"}) == Names{"moved/er/two.txt"});

    fs::remove(notes.file("renamed.md"));
    CHECK(notes.await("citrine", {}).empty());

    fs::remove_all(notes.file("moved"));
    CHECK(notes.await("diamond", {}).empty());
    CHECK(notes.stored_pages() == 1);

    watch.send(SIGINT);
    CHECK(watch.wait() == 130);
}

TEST_CASE("what happened while nobody watched is made up for") {
    const Notes notes;
    notes.write("same.md", "words about agate");
    notes.write("changed.md", "words about beryl");
    notes.write("deleted.md", "words about citrine");
    REQUIRE(notes.home().run({"watch", notes.root(), "--once"}).exit_code == 0);
    notes.write("changed.md", "words about diamond");
    fs::remove(notes.file("deleted.md"));
    notes.write("new.md", "words about emerald");

    const Ran ran = notes.home().run({"watch", notes.root(), "--once", "--json"});

    CHECK(ran.exit_code == 0);
    Names events;
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) {
        const json::value event = json::parse(line);
        events.insert(fmt::format("{} {}", event.at("event").as_string().c_str(),
                                  fs::path(event.at("path").as_string().c_str()).filename().string()));
    }
    CHECK(events == Names{"changed changed.md", "added new.md", "forgotten deleted.md"});
    CHECK(notes.found("agate") == Names{"same.md"});
    CHECK(notes.found("beryl").empty());
    CHECK(notes.found("citrine").empty());
    CHECK(notes.found("diamond") == Names{"changed.md"});
    CHECK(notes.found("emerald") == Names{"new.md"});
    CHECK(notes.home().run({"watch", notes.root(), "--once"}).out.empty());
}

TEST_CASE("ignored files are not found, nor what links lead out of the folder to") {
    const Notes notes;
    const TemporaryFolder outside;
    outside.write("secret.md", "words about agate");
    notes.write(".quarryignore", "private/\n");
    notes.write("private/a.md", "words about agate");
    notes.write("draft-1.md", "words about agate");
    notes.write("a.md~", "words about agate");
    notes.write("public.md", "words about agate");
    fs::create_directory_symlink(outside.path(), notes.file("out"));
    fs::create_symlink(outside.file("secret.md"), notes.file("secret.md"));

    REQUIRE(notes.home().run({"watch", notes.root(), "--ignore", "draft-*", "--once"}).exit_code == 0);

    CHECK(notes.found("agate") == Names{"public.md"});
    CHECK(notes.stored_pages() == 1);
}

TEST_CASE("a document that has lost its words is forgotten, one that cannot be read is named") {
    const Notes notes;
    notes.write("a.md", "words about agate");
    REQUIRE(notes.home().run({"watch", notes.root(), "--once"}).exit_code == 0);
    notes.write("a.md", "\n");
    notes.write("broken.pdf", "%PDF-1.4 and no more");

    const Ran ran = notes.home().run({"watch", notes.root(), "--once"});

    CHECK(ran.exit_code == 1);
    CHECK(ran.err.find(notes.file("broken.pdf")) != std::string::npos);
    CHECK(notes.found("agate").empty());
}

TEST_CASE("a folder that is not there cannot be watched") {
    const DataHome home;

    const Ran ran = home.run({"watch", "/nowhere"});

    CHECK(ran.exit_code == 2);
    CHECK(ran.err.find("Folder not found: /nowhere") != std::string::npos);
}

TEST_CASE("thousands of files that appear at once are all found, and one saved meanwhile too") {
#ifdef QUARRY_SANITIZED
    constexpr int count = 2'000;
#else
    constexpr int count = 10'000;
#endif
    const Notes notes;
    notes.write("first.md", "words about agate");
    StartedQuarry watch({"watch", notes.root()}, notes.home().options());
    REQUIRE(notes.await("agate", {"first.md"}) == Names{"first.md"});

    for (int i = 0; i < count; ++i)
        notes.write(fmt::format("{}/{}.md", i % 100, i), fmt::format("stone number{} of many", i));
    notes.write("last.md", "words about zircon");

    CHECK(notes.await("zircon", {"last.md"}) == Names{"last.md"});
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (notes.stored_pages() < count + 2 && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(100ms);
    CHECK(notes.stored_pages() == count + 2);
    for (const int i : {0, count / 2, count - 1}) {
        const std::string name = fmt::format("{}/{}.md", i % 100, i);
        CHECK(notes.await("number" + std::to_string(i), {name}) == Names{name});
    }
    watch.send(SIGINT);
    CHECK(watch.wait() == 130);
}

TEST_CASE("a watch goes on when the worker it spoke to is gone") {
    const Notes notes;
    REQUIRE(notes.home().run({"daemon", "start"}).exit_code == 0);
    StartedQuarry watch({"watch", notes.root()}, notes.home().options());
    notes.write("a.md", "words about agate");
    CHECK(notes.await("agate", {"a.md"}) == Names{"a.md"});

    REQUIRE(notes.home().run({"daemon", "stop"}).exit_code == 0);
    notes.write("b.md", "words about beryl");

    CHECK(notes.await("beryl", {"b.md"}) == Names{"b.md"});
    watch.send(SIGTERM);
    CHECK(watch.wait() == 130);
}

TEST_CASE("a watch that is killed loses nothing that was saved") {
    const Notes notes;
    {
        StartedQuarry watch({"watch", notes.root()}, notes.home().options());
        for (int i = 0; i < 200; ++i) notes.write(fmt::format("{}.md", i), fmt::format("stone number{}", i));
        CHECK(notes.await("number7", {"7.md"}) == Names{"7.md"});
        watch.send(SIGKILL);
        watch.wait();
    }
    notes.write("after.md", "words about agate");

    REQUIRE(notes.home().run({"watch", notes.root(), "--once"}).exit_code == 0);

    CHECK(notes.stored_pages() == 201);
    CHECK(notes.found("agate") == Names{"after.md"});
    CHECK(notes.found("number199") == Names{"199.md"});
}
