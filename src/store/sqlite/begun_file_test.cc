#include "store/sqlite/begun_file.h"

#include <csignal>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "servers/temporary_folder.h"

namespace quarry::store {

namespace {

struct Fixture {
    test::TemporaryFolder folder;
    std::string path = folder.file("begun");
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "what has begun is known until it is removed") {
    BegunFile begun = BegunFile::open(path).value();
    begun.add(5);
    begun.add(5);
    begun.add(6);
    CHECK(begun.contains(5));
    CHECK_FALSE(begun.contains(7));

    begun.remove(5);

    CHECK_FALSE(begun.contains(5));
    CHECK(begun.all() == std::vector<std::int64_t>{6});
}

TEST_CASE_FIXTURE(Fixture, "ids that want the same place are all kept, up to a point") {
    BegunFile begun = BegunFile::open(path).value();
    for (std::int64_t id = 1; id <= 20; ++id) begun.add(id * 4096);

    CHECK(begun.all().size() == 16);
    CHECK(begun.contains(4096));
    CHECK_FALSE(begun.contains(20 * 4096));
}

TEST_CASE_FIXTURE(Fixture, "what has begun is still known after the process was killed") {
    const pid_t child = ::fork();
    if (child == 0) {
        BegunFile begun = BegunFile::open(path).value();
        begun.add(42);
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));

    BegunFile begun = BegunFile::open(path).value();

    CHECK(begun.all() == std::vector<std::int64_t>{42});
    begun.clear();
    CHECK(begun.all().empty());
}

TEST_CASE("a folder that is not there is a clear error") {
    const auto begun = BegunFile::open("/nowhere/at/all/begun");

    REQUIRE_FALSE(begun);
    CHECK(begun.error().code == ErrorCode::unavailable);
    CHECK(begun.error().message.starts_with("/nowhere/at/all/begun: "));
}

}  // namespace quarry::store
