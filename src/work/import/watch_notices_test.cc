// What the kernel tells, on a real disk. Every wait ends with the event it is for.
#include "work/import/watch_notices.h"

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
