#include "work/import/watched_folder.h"

#include <filesystem>

#include <doctest/doctest.h>

#include "servers/temporary_folder.h"

using namespace quarry;
using namespace quarry::work;
using namespace std::chrono_literals;
using test::TemporaryFolder;
using What = Notice::What;
namespace fs = std::filesystem;

namespace {

// A folder that is watched, without a kernel to tell of it and without time passing by itself.
struct Watched {
    TemporaryFolder folder{};
    ManualClock clock{};
    WatchFolder watch{folder.path(), {}, {}};

    explicit Watched(const std::vector<std::string>& stored = {}) {
        for (const std::string& name : stored) {
            folder.write(name, "words of " + name);
            watch.note_written(folder.file(name), look_at_file(folder.file(name)).value().etag());
        }
    }
    void notice(What what, const std::string& name) { watch.handle({what, folder.file(name)}, clock.now()); }
    FolderChanges due(std::size_t limit = 100) { return watch.take_due(clock.now(), limit); }
    std::vector<std::string> names(const std::vector<FileSeen>& files) const {
        std::vector<std::string> names;
        for (const FileSeen& file : files) names.push_back(file.path.substr(folder.path().size() + 1));
        return names;
    }
    std::vector<std::string> names(const std::vector<std::string>& paths) const {
        std::vector<std::string> names;
        for (const std::string& path : paths) names.push_back(path.substr(folder.path().size() + 1));
        return names;
    }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a file is read when it has been quiet for a second") {
    Watched w;
    w.folder.write("a.md", "one");
    w.notice(What::file, "a.md");
    w.clock.advance(900ms);
    w.notice(What::file, "a.md");
    w.clock.advance(900ms);

    CHECK(w.due().is_empty());
    w.clock.advance(100ms);
    const FolderChanges changes = w.due();

    CHECK(w.names(changes.written) == Names{"a.md"});
    CHECK(changes.is_recent);
    CHECK(w.due().is_empty());
    CHECK_FALSE(w.watch.next_due());
}

TEST_CASE("a file that is never quiet is read after three seconds all the same") {
    Watched w;
    w.folder.write("a.md", "one");
    for (int i = 0; i < 6; ++i) {
        w.notice(What::file, "a.md");
        CHECK(w.due().is_empty());
        w.clock.advance(500ms);
    }

    CHECK(w.due().written.size() == 1);
}

TEST_CASE("what is due next is known") {
    Watched w;
    CHECK_FALSE(w.watch.next_due());
    w.folder.write("a.md", "one");
    w.notice(What::file, "a.md");

    CHECK(w.watch.next_due() == w.clock.now() + 1s);
}

TEST_CASE("a file that is saved without a change is not read") {
    Watched w({"a.md"});
    w.notice(What::file, "a.md");
    w.clock.advance(1s);

    CHECK(w.due().is_empty());
}

TEST_CASE("an editor that writes a new file over the old one changes it, and deletes nothing") {
    Watched w({"a.md"});
    w.notice(What::gone, "a.md");
    w.folder.write("a.md", "words that are others");
    w.notice(What::file, "4913");
    w.notice(What::file, "a.md~");
    w.notice(What::file, "a.md");
    w.clock.advance(1s);
    const FolderChanges changes = w.due();

    CHECK(w.names(changes.written) == Names{"a.md"});
    CHECK(changes.gone.empty());
}

TEST_CASE("a deleted file is forgotten, one that nobody knew is not") {
    Watched w({"a.md"});
    fs::remove(w.folder.file("a.md"));
    w.notice(What::gone, "a.md");
    w.notice(What::gone, "unknown.md");
    w.clock.advance(1s);
    const FolderChanges changes = w.due();

    CHECK(w.names(changes.gone) == Names{"a.md"});
    CHECK(changes.written.empty());
}

TEST_CASE("a renamed file is forgotten under the old name and read under the new one") {
    Watched w({"a.md"});
    fs::rename(w.folder.file("a.md"), w.folder.file("b.md"));
    w.notice(What::gone, "a.md");
    w.notice(What::file, "b.md");
    w.clock.advance(1s);
    const FolderChanges changes = w.due();

    CHECK(w.names(changes.gone) == Names{"a.md"});
    CHECK(w.names(changes.written) == Names{"b.md"});
}

TEST_CASE("a renamed folder takes all its files along") {
    Watched w({"old/a.md", "old/deep/b.md", "older.md"});
    fs::rename(w.folder.file("old"), w.folder.file("new"));
    w.notice(What::gone, "old");
    w.notice(What::folder, "new");
    w.clock.advance(1s);
    const FolderChanges changes = w.due();

    CHECK(w.names(changes.gone) == Names{"old/a.md", "old/deep/b.md"});
    CHECK(w.names(changes.written) == Names{"new/a.md", "new/deep/b.md"});
}

TEST_CASE("a folder that appears is watched before it is looked into") {
    Watched w;
    w.folder.write("new/deep/a.md", "words");
    std::vector<std::string> watched;

    w.watch.handle({What::folder, w.folder.file("new")}, w.clock.now(),
                   [&](const std::string& folder) { watched.push_back(folder); });

    CHECK(w.names(watched) == Names{"new", "new/deep"});
    w.clock.advance(1s);
    CHECK(w.names(w.due().written) == Names{"new/deep/a.md"});
}

TEST_CASE("an ignored folder that appears is left alone") {
    Watched w;
    w.folder.write("node_modules/a.md", "words");
    w.notice(What::folder, "node_modules");
    w.notice(What::file, "node_modules/a.md");
    w.notice(What::file, "picture.png");
    w.clock.advance(1s);

    CHECK(w.due().is_empty());
}

TEST_CASE("what changed while nobody watched is found at the start") {
    Watched w({"same.md", "changed.md", "deleted.md"});
    w.folder.write("changed.md", "other words");
    w.folder.write("new.md", "words");
    fs::remove(w.folder.file("deleted.md"));

    CHECK(w.watch.look().value().empty());
    const FolderChanges changes = w.due();

    CHECK(w.names(changes.written) == Names{"changed.md", "new.md"});
    CHECK(w.names(changes.gone) == Names{"deleted.md"});
    CHECK_FALSE(changes.is_recent);
}

TEST_CASE("a folder that cannot be found loses nothing") {
    Watched w({"a.md"});
    fs::rename(w.folder.path(), w.folder.path() + "-away");

    CHECK(w.watch.look().error().code == ErrorCode::not_found);
    CHECK(w.due().is_empty());
    fs::rename(w.folder.path() + "-away", w.folder.path());
}

TEST_CASE("after an overflow everything is to be looked at") {
    Watched w;
    w.watch.handle({.what = What::overflow}, w.clock.now());
    CHECK(w.watch.has_to_look());
    w.folder.write("a.md", "words");

    CHECK(w.watch.look());

    CHECK_FALSE(w.watch.has_to_look());
    CHECK(w.due().written.size() == 1);
}

TEST_CASE("a changed ignore file forgets what it ignores, and finds what it does not") {
    Watched w({"a.md", "b.md"});
    w.folder.write(".quarryignore", "a.md\n");
    w.notice(What::file, ".quarryignore");
    CHECK(w.watch.has_to_look());
    CHECK(w.watch.look());
    const FolderChanges first = w.due();
    w.watch.note_forgotten(w.folder.file("a.md"));
    fs::remove(w.folder.file(".quarryignore"));
    w.notice(What::gone, ".quarryignore");
    CHECK(w.watch.look());
    const FolderChanges second = w.due();

    CHECK(w.names(first.gone) == Names{"a.md"});
    CHECK(first.written.empty());
    CHECK(w.names(second.written) == Names{"a.md"});
    CHECK(second.gone.empty());
}

TEST_CASE("what was just saved comes before what was found by looking, and not with it") {
    Watched w;
    for (int i = 0; i < 5; ++i) w.folder.write("old" + std::to_string(i) + ".md", "words");
    CHECK(w.watch.look());
    w.folder.write("saved.md", "words");
    w.notice(What::file, "saved.md");
    w.clock.advance(1s);

    const FolderChanges first = w.due(3), second = w.due(3), third = w.due(3);

    CHECK(w.names(first.written) == Names{"saved.md"});
    CHECK(first.is_recent);
    CHECK(second.written.size() == 3);
    CHECK_FALSE(second.is_recent);
    CHECK(third.written.size() == 2);
    CHECK(w.due(3).is_empty());
}

TEST_CASE("changes that could not be told are due again") {
    Watched w({"gone.md"});
    w.folder.write("a.md", "words");
    fs::remove(w.folder.file("gone.md"));
    CHECK(w.watch.look());
    const FolderChanges changes = w.due();
    REQUIRE(changes.size() == 2);

    w.watch.put_back(changes);

    CHECK(w.due().size() == 2);
    CHECK(w.due().is_empty());
}

TEST_CASE("a file that cannot be read is tried again only when it changes") {
    Watched w;
    w.folder.write("a.pdf", "broken");
    CHECK(w.watch.look());
    w.watch.note_unreadable(w.due().written.at(0));
    CHECK(w.watch.look());
    CHECK(w.due().is_empty());
    CHECK_FALSE(w.watch.is_stored(w.folder.file("a.pdf")));

    w.folder.write("a.pdf", "mended, and longer");
    CHECK(w.watch.look());
    CHECK(w.due().written.size() == 1);

    w.watch.note_unreadable({.path = w.folder.file("a.pdf")});
    fs::remove(w.folder.file("a.pdf"));
    CHECK(w.watch.look());
    CHECK(w.due().is_empty());
}

TEST_CASE("notices of other folders are not its own") {
    Watched w;
    w.watch.handle({What::file, w.folder.path() + "-other/a.md"}, w.clock.now());

    CHECK_FALSE(w.watch.next_due());
}
