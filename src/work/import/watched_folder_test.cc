// What the kernel tells, on a real disk. Every wait ends with the event it is for.
#include "work/import/watched_folder.h"

#include <algorithm>
#include <filesystem>
#include <thread>

#include <doctest/doctest.h>

#include "servers/temporary_folder.h"

using namespace quarry;
using namespace quarry::work;
using namespace std::chrono_literals;
using test::TemporaryFolder;
using What = Notice::What;
namespace fs = std::filesystem;

namespace {

bool told(const std::vector<Notice>& notices, What what, const std::string& path) {
    return std::ranges::any_of(
        notices, [&](const Notice& notice) { return notice.what == what && notice.path == path; });
}

// What has happened is told before the call that made it happen returns.
std::vector<Notice> read_all(FolderNotices& notices) {
    return notices.read(0ms);
}

}  // namespace

TEST_CASE("files that are written, renamed and deleted are told of") {
    const TemporaryFolder folder;
    auto notices = FolderNotices::open().value();
    REQUIRE(notices.watch(folder.path()));

    folder.write("a.md", "words");
    CHECK(told(read_all(notices), What::file, folder.file("a.md")));
    fs::rename(folder.file("a.md"), folder.file("b.md"));
    const auto renamed = read_all(notices);
    CHECK(told(renamed, What::gone, folder.file("a.md")));
    CHECK(told(renamed, What::file, folder.file("b.md")));
    fs::remove(folder.file("b.md"));
    CHECK(told(read_all(notices), What::gone, folder.file("b.md")));
    fs::create_hard_link(folder.write("c.md", "x"), folder.file("d.md"));
    CHECK(told(read_all(notices), What::file, folder.file("d.md")));
    CHECK(read_all(notices).empty());
}

TEST_CASE("a folder that is renamed is watched anew under its new name only") {
    const TemporaryFolder folder;
    folder.write("old/deep/a.md", "words");
    auto notices = FolderNotices::open().value();
    for (const char* name : {"", "/old", "/old/deep"}) REQUIRE(notices.watch(folder.path() + name));
    CHECK(notices.watched() == 3);

    fs::rename(folder.file("old"), folder.file("new"));
    const auto renamed = read_all(notices);
    CHECK(told(renamed, What::gone, folder.file("old")));
    CHECK(told(renamed, What::folder, folder.file("new")));
    CHECK(notices.watched() == 1);
    folder.write("new/deep/b.md", "words");
    CHECK(read_all(notices).empty());

    REQUIRE(notices.watch(folder.file("new/deep")));
    folder.write("new/deep/c.md", "words");
    CHECK(told(read_all(notices), What::file, folder.file("new/deep/c.md")));
}

TEST_CASE("a folder that is deleted is told of by the one above it") {
    const TemporaryFolder folder;
    folder.write("x/a.md", "words");
    auto notices = FolderNotices::open().value();
    REQUIRE(notices.watch(folder.path()));
    REQUIRE(notices.watch(folder.file("x")));

    fs::remove_all(folder.file("x"));
    const auto removed = read_all(notices);

    CHECK(told(removed, What::gone, folder.file("x/a.md")));
    CHECK(told(removed, What::gone, folder.file("x")));
    CHECK(notices.watched() == 1);
}

TEST_CASE("a watched folder that itself is gone is lost") {
    const TemporaryFolder folder;
    fs::create_directory(folder.file("root"));
    auto notices = FolderNotices::open().value();
    REQUIRE(notices.watch(folder.file("root")));

    fs::remove(folder.file("root"));

    CHECK(told(read_all(notices), What::lost, folder.file("root")));
    CHECK(notices.watched() == 0);
}

TEST_CASE("more than the kernel remembers is told of as an overflow") {
    const TemporaryFolder folder;
    auto notices = FolderNotices::open().value();
    REQUIRE(notices.watch(folder.path()));
    std::ifstream limit("/proc/sys/fs/inotify/max_queued_events");
    int most = 0;
    if (!(limit >> most) || most > 100'000) {
        MESSAGE("skipped: the kernel remembers more than a test should make happen");
        return;
    }

    for (int i = 0; i <= most; ++i) {
        fs::rename(i == 0 ? fs::path(folder.write("a", "")) : fs::path(folder.file(i % 2 ? "b" : "a")),
                   folder.file(i % 2 ? "a" : "b"));
    }
    const auto notices_read = read_all(notices);

    CHECK(std::ranges::any_of(notices_read,
                              [](const Notice& notice) { return notice.what == What::overflow; }));
}

TEST_CASE("what is no folder is not watched, and links are not followed") {
    const TemporaryFolder folder;
    auto notices = FolderNotices::open().value();
    fs::create_directory_symlink("/", folder.file("link"));

    CHECK(notices.watch(folder.file("none")).error().code == ErrorCode::not_found);
    CHECK(notices.watch(folder.write("a.md", "x")).error().code == ErrorCode::not_found);
    CHECK_FALSE(notices.watch(folder.file("link")));
}

TEST_CASE("who waits for notices can be woken") {
    auto notices = FolderNotices::open().value();
    const std::jthread waker([&] { notices.wake(); });

    CHECK(notices.read(-1ms).empty());
}

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
