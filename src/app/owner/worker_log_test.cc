#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "app/owner/background.h"
#include "servers/temporary_folder.h"

using namespace quarry;
using namespace quarry::app;
using quarry::test::read_file;
using quarry::test::TemporaryFolder;

TEST_CASE("a log has a line for each event, with its time, for its user alone") {
    const TemporaryFolder folder;
    WorkerLog log = WorkerLog::open(folder.file("worker.log"), 1'000'000).value();

    log.write("crawl completed");
    log.write("worker left");

    const std::string text = read_file(folder.file("worker.log"));
    CHECK(std::ranges::count(text, '\n') == 2);
    CHECK(text.find("Z ") == 23);
    CHECK(text.ends_with(" worker left\n"));
    struct stat status{};
    REQUIRE(stat(folder.file("worker.log").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("an event is one line whatever is said in it, and a full disk ends nothing") {
    const TemporaryFolder folder;
    WorkerLog log = WorkerLog::open(folder.file("worker.log"), 1'000'000).value();
    log.write(
        "error=\"a\nb\x1b[2J\xC2\x9B"
        "c\"");
    CHECK(read_file(folder.file("worker.log")).ends_with(" error=\"a b [2J  c\"\n"));

    // A device that is full takes the place of the file.
    const TemporaryFolder other;
    std::filesystem::create_symlink("/dev/full", other.file("worker.log"));
    WorkerLog full = WorkerLog::open(other.file("worker.log"), 1'000'000).value();
    full.write("first");
    full.write("second");
    CHECK(std::filesystem::is_symlink(other.file("worker.log")));
}

TEST_CASE("a log that is full begins anew and keeps one older one") {
    const TemporaryFolder folder;
    WorkerLog log = WorkerLog::open(folder.file("worker.log"), 500).value();

    for (int i = 0; i < 100; ++i) log.write("event number " + std::to_string(i));

    CHECK(std::filesystem::file_size(folder.file("worker.log")) <= 500);
    CHECK(std::filesystem::file_size(folder.file("worker.log.1")) <= 500);
    CHECK(read_file(folder.file("worker.log")).ends_with("event number 99\n"));
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("a log goes on where an earlier worker left it") {
    const TemporaryFolder folder;
    WorkerLog::open(folder.file("worker.log"), 1'000).value().write("first");
    WorkerLog::open(folder.file("worker.log"), 1'000).value().write("second");

    CHECK(std::ranges::count(read_file(folder.file("worker.log")), '\n') == 2);
    CHECK_FALSE(WorkerLog::open(folder.file("no/such/folder.log"), 1'000));
}
