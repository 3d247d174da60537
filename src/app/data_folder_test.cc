#include "app/data_folder.h"

#include <filesystem>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "servers/temporary_folder.h"

using namespace quarry;
using namespace quarry::app;
using quarry::test::TemporaryFolder;

namespace {

using Environment = std::map<std::string, std::string, std::less<>>;

Result<DataFolder> folder_for(const Environment& environment, const std::string& flag = "") {
    SettingsRequest request{.environment = environment};
    if (!flag.empty()) request.flags = {{"store.data", flag}};
    return data_folder(Settings::load(request).value(), environment);
}

}  // namespace

TEST_CASE("the data folder is the one named, else below the XDG data home, else below the home") {
    const Environment all = {{"QUARRY_DATA", "/q"}, {"XDG_DATA_HOME", "/x"}, {"HOME", "/nonexistent"}};

    CHECK(folder_for(all, "/flag")->path == "/flag");
    CHECK(folder_for(all)->path == "/q");
    CHECK(folder_for({{"XDG_DATA_HOME", "/x"}, {"HOME", "/nonexistent"}})->path == "/x/quarry");
    CHECK(folder_for({{"HOME", "/nonexistent"}})->path == "/nonexistent/.local/share/quarry");
    CHECK(folder_for({}).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("a data folder has one absolute path, however it is written") {
    const std::string here = std::filesystem::current_path();

    CHECK(folder_for({}, "data")->path == here + "/data");
    CHECK(folder_for({}, "./x/../data/")->path == here + "/data");
}

TEST_CASE("the folder is made for its user alone, and a file in its place is refused") {
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.file("deep/er/data")};

    REQUIRE(folder.create());
    REQUIRE(folder.create());

    struct stat status{};
    REQUIRE(stat(folder.path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
    const auto taken = DataFolder{temporary.write("file", "")}.create();
    REQUIRE_FALSE(taken);
    CHECK(taken.error().code == ErrorCode::unavailable);
    CHECK(taken.error().message.find("--data") != std::string::npos);
}

TEST_CASE("a folder that is shared with a group is open to it, and to nobody else") {
    if (geteuid() != 0) {
        MESSAGE("SKIPPED: only root may give a folder to any group");
        return;
    }
    const TemporaryFolder temporary;
    constexpr gid_t some_group = 4242;
    const std::string root = temporary.file("data");
    const DataFolder folder{.path = root + "/redis-1", .root = root, .group = some_group};

    REQUIRE(folder.create());

    for (const std::string& path : {folder.root, folder.path}) {
        struct stat status{};
        REQUIRE(stat(path.c_str(), &status) == 0);
        CHECK((status.st_mode & 07777) == 02750);
        CHECK(status.st_gid == some_group);
    }
}

TEST_CASE("a group that does not exist is refused, and without one there is none") {
    const Environment environment = {{"QUARRY_DATA", "/q"}, {"QUARRY_STORE_GROUP", "nosuchgroup"}};

    CHECK(folder_for(environment).error().message.contains("nosuchgroup"));
    CHECK_FALSE(folder_for({{"QUARRY_DATA", "/q"}})->group);
    CHECK(folder_for({{"QUARRY_DATA", "/q"}, {"QUARRY_STORE_GROUP", "root"}})->group == 0);
}

TEST_CASE("members of the service's group use its folder until they have one of their own") {
    if (geteuid() != 0) {
        MESSAGE("SKIPPED: only root may become somebody else");
        return;
    }
    const TemporaryFolder temporary;
    constexpr uid_t somebody = 4243;
    constexpr gid_t members = 4242;
    const std::string home = temporary.file("home"), service = temporary.file("service");
    const std::string own = home + "/.local/share/quarry";
    std::filesystem::create_directories(service);
    REQUIRE(chmod(temporary.path().c_str(), 0755) == 0);
    REQUIRE(chmod(service.c_str(), 0750) == 0);
    const Settings settings = Settings::load({}).value();
    const auto path_for = [&] { return data_folder(settings, {{"HOME", home}}, service)->path; };
    const auto path_as = [&](uid_t user, gid_t group) {
        REQUIRE(setegid(group) == 0);
        REQUIRE(seteuid(user) == 0);
        const std::string path = path_for();
        REQUIRE(seteuid(0) == 0);
        REQUIRE(setegid(0) == 0);
        return path;
    };

    CHECK(path_as(somebody, members) == own);  // the service's is root's
    REQUIRE(chown(service.c_str(), 4244, members) == 0);
    CHECK(path_as(somebody, members) == service);
    CHECK(path_as(4244, 4244) == service);  // the service itself
    CHECK(path_for() == own);               // root is no member

    REQUIRE(chmod(service.c_str(), 0700) == 0);
    CHECK(path_as(somebody, members) == own);
    REQUIRE(chmod(service.c_str(), 0750) == 0);
    std::filesystem::create_directories(own);
    CHECK(path_as(somebody, members) == own);
}

TEST_CASE("a lock is held by one, says by whom, and is free again when it ends") {
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.path()};
    CHECK_FALSE(lock_holder(folder));
    {
        const auto lock = FolderLock::take(folder, "1.2.3");
        REQUIRE(lock);

        CHECK(FolderLock::take(folder, "1.2.3").error().code == ErrorCode::conflict);
        CHECK(lock_holder(folder)->process == getpid());
        CHECK(lock_holder(folder)->version == "1.2.3");
    }
    CHECK(FolderLock::take(folder, "1.2.3"));
}

TEST_CASE("the lock of a process that was killed is free") {
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.path()};
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    const pid_t child = fork();
    if (child == 0) {
        const auto lock = FolderLock::take(folder, "1");
        [[maybe_unused]] const ssize_t written = write(ready[1], lock ? "y" : "n", 1);
        pause();
        _exit(0);
    }
    char answer = 0;
    REQUIRE(read(ready[0], &answer, 1) == 1);
    CHECK(answer == 'y');
    CHECK_FALSE(FolderLock::take(folder, "1"));

    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);

    CHECK(FolderLock::take(folder, "1"));
    close(ready[0]);
    close(ready[1]);
}
