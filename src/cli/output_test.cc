#include "cli/output.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

using namespace quarry;
using namespace quarry::cli;

namespace {

std::string path_of(const char* address) {
    return file_path_for(url::Url::parse(address).value(), ".md");
}

}  // namespace

TEST_CASE("a page's file is named after its host and path") {
    CHECK(path_of("https://docs.example.com/guide/install") == "docs.example.com/guide/install.md");
    CHECK(path_of("https://docs.example.com/") == "docs.example.com/index.md");
    CHECK(path_of("https://docs.example.com/guide/") == "docs.example.com/guide/index.md");
    CHECK(path_of("https://docs.example.com:8443/a.html") == "docs.example.com_8443/a.html.md");
}

TEST_CASE("URLs that differ get files that differ") {
    const char* addresses[] = {
        "https://a.example/p",     "https://a.example/p/",      "https://a.example/p?x=1",
        "https://a.example/p?x=2", "https://a.example/p/index", "https://a.example//p",
        "https://a.example:81/p",  "https://a.example/p.md",    "https://a.example/#/p",
        "https://a.example/p:x",   "https://a.example/p*x"};
    std::set<std::string> paths;
    for (const char* address : addresses) CHECK_MESSAGE(paths.insert(path_of(address)).second, address);
}

TEST_CASE("no URL leads out of the output folder") {
    const char* addresses[] = {"https://a.example/../../etc/passwd",
                               "https://a.example/%2e%2e/%2e%2e/x",
                               "https://a.example/..%2f..%2fx",
                               "https://a.example/.ssh/authorized_keys",
                               "https://a.example/%00",
                               "https://[::1]/x",
                               "https://a.example/\\..\\x"};
    for (const char* address : addresses) {
        const std::string path = path_of(address);
        CAPTURE(path);
        const auto plain = std::filesystem::path(path).lexically_normal();
        CHECK(plain == std::filesystem::path(path));
        CHECK_FALSE(plain.is_absolute());
        CHECK(path.find("/.") == std::string::npos);
    }
}

TEST_CASE("a very long path segment is cut and still tells pages apart") {
    const std::string stem = "https://a.example/" + std::string(300, 'x');
    const std::string one = path_of((stem + "1").c_str());
    const std::string two = path_of((stem + "2").c_str());

    CHECK(one.size() < 200);
    CHECK(one != two);
}

TEST_CASE("two URLs that would share a file get a number") {
    FolderOutput output("out", ".md");

    CHECK(output.path_for(url::Url::parse("http://a.example/p").value()) == "out/a.example/p.md");
    CHECK(output.path_for(url::Url::parse("https://a.example/p").value()) == "out/a.example/p-2.md");
}

TEST_CASE("a file is written whole, with the folders above it, and read back") {
    const std::string folder =
        std::filesystem::temp_directory_path() / ("quarry-output-" + std::to_string(getpid()));
    const std::string path = folder + "/a/b.md";

    REQUIRE(write_file(path, "first"));
    REQUIRE(write_file(path, "second"));

    CHECK(read_input(path, 100).value() == "second");
    CHECK(std::distance(std::filesystem::directory_iterator(folder + "/a"), {}) == 1);
    CHECK(read_input(path, 3).error().code == ErrorCode::too_large);
    CHECK(read_input(folder + "/none", 100).error().message == "File not found: " + folder + "/none");
    CHECK_FALSE(write_file(path + "/below-a-file", "x"));
    std::filesystem::remove_all(folder);
}
