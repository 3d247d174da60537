#include "cli/output/files.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
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

namespace {

// A folder of the test, gone with it.
class OutputFolder {
public:
    OutputFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "quarry-output-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~OutputFolder() { std::filesystem::remove_all(path_); }
    std::string file(const std::string& name) const { return path_ + "/" + name; }
    std::ptrdiff_t files() const { return std::distance(std::filesystem::directory_iterator(path_), {}); }

private:
    std::string path_;
};

}  // namespace

TEST_CASE("a symlink is followed, also to a file that is not there yet") {
    namespace fs = std::filesystem;
    const OutputFolder folder;
    fs::create_directory(folder.file("elsewhere"));
    REQUIRE(write_file(folder.file("elsewhere/there"), "old"));
    fs::create_symlink("elsewhere/there", folder.file("link"));
    fs::create_symlink("link", folder.file("link-to-link"));
    fs::create_symlink("elsewhere/new", folder.file("dangling"));
    fs::create_symlink("round", folder.file("round"));

    CHECK(write_file(folder.file("link-to-link"), "new"));
    CHECK(write_file(folder.file("dangling"), "made"));
    const auto round = write_file(folder.file("round"), "x");

    CHECK(fs::is_symlink(folder.file("link")));
    CHECK(fs::is_symlink(folder.file("link-to-link")));
    CHECK(fs::is_symlink(folder.file("dangling")));
    CHECK(read_input(folder.file("elsewhere/there"), 100).value() == "new");
    CHECK(read_input(folder.file("elsewhere/new"), 100).value() == "made");
    REQUIRE_FALSE(round);
    CHECK(folder.files() == 5);
}

TEST_CASE("a FIFO gets what is written, and stays one") {
    const OutputFolder folder;
    const std::string fifo = folder.file("fifo");
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    // Open for both, so that neither end waits for the other.
    const Descriptor reader(::open(fifo.c_str(), O_RDWR | O_CLOEXEC));

    CHECK(write_file(fifo, "through"));

    char got[8] = {};
    CHECK(::read(reader.get(), got, sizeof got) == 7);
    CHECK(std::string(got) == "through");
    CHECK(std::filesystem::is_fifo(fifo));
    CHECK(folder.files() == 1);
}

TEST_CASE("a device is written to, and what it does not take is an error") {
    const OutputFolder folder;
    // By a symlink: whatever goes wrong here, the machine keeps its device.
    std::filesystem::create_symlink("/dev/full", folder.file("full"));
    std::filesystem::create_symlink("/dev/null", folder.file("null"));

    CHECK(write_file(folder.file("full"), "x").error().message ==
          "cannot write " + folder.file("full") + ": No space left on device");
    CHECK(write_file(folder.file("null"), "x"));

    CHECK(std::filesystem::is_symlink(folder.file("full")));
    CHECK(std::filesystem::is_symlink(folder.file("null")));
    CHECK(folder.files() == 2);
}

TEST_CASE("a file that is replaced keeps its permissions, and one that is not finished leaves nothing") {
    namespace fs = std::filesystem;
    const OutputFolder folder;
    const std::string path = folder.file("secret");
    REQUIRE(write_file(path, "old"));
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);

    {
        OutputFile unfinished = OutputFile::open(path).value();
        REQUIRE(unfinished.write("half"));
    }
    CHECK(read_input(path, 100).value() == "old");
    CHECK(folder.files() == 1);

    CHECK(write_file(path, "new"));
    CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    CHECK_FALSE(write_file(folder.file(""), "x"));
}

TEST_CASE("a name as long as a name can be is written") {
    const OutputFolder folder;
    const std::string path = folder.file(std::string(255, 'n'));

    CHECK(write_file(path, "x"));
    CHECK(read_input(path, 100).value() == "x");
}
