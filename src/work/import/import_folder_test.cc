#include "work/import/files.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <doctest/doctest.h>

#include "servers/temporary_folder.h"

using namespace quarry;
using namespace quarry::work;
using test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

// The paths of the files, relative to the folder.
std::set<std::string> names_in(const FolderContent& content, const TemporaryFolder& folder) {
    std::set<std::string> names;
    for (const FileSeen& file : content.files) names.insert(file.path.substr(folder.path().size() + 1));
    return names;
}

}  // namespace

TEST_CASE("all documents below a folder are found, and nothing else") {
    const TemporaryFolder folder;
    for (const char* name : {"a.md", "deep/er/b.txt", "c.html", "d.pdf", "e.png", "f.jsonl", ".hidden.md",
                             "node_modules/x.md", ".git/y.md", "g.md~"})
        folder.write(name, "words");
    IgnoreRules rules(folder.path(), {});

    const auto content = look_into_folder(folder.path(), rules).value();

    CHECK(names_in(content, folder) == std::set<std::string>{"a.md", "c.html", "d.pdf", "deep/er/b.txt"});
    CHECK(content.other_files == 2);
    CHECK(content.folders.size() == 3);
    CHECK(content.problems.empty());
}

TEST_CASE("links are not followed, neither out of the folder nor round in it") {
    const TemporaryFolder folder, outside;
    outside.write("secret.md", "words");
    folder.write("a.md", "words");
    fs::create_directory_symlink(outside.path(), folder.file("out"));
    fs::create_symlink(outside.file("secret.md"), folder.file("secret.md"));
    fs::create_directory_symlink(folder.path(), folder.file("round"));
    fs::create_symlink("nowhere", folder.file("broken.md"));
    IgnoreRules rules(folder.path(), {});

    CHECK(names_in(look_into_folder(folder.path(), rules).value(), folder) == std::set<std::string>{"a.md"});
}

TEST_CASE("each folder is told of before it is looked into") {
    const TemporaryFolder folder;
    folder.write("x/a.md", "words");
    IgnoreRules rules(folder.path(), {});

    // What appears in the last moment is found.
    const auto content = look_into_folder(folder.path(), rules, [&](const std::string& each) {
                             std::ofstream(each + "/late.md") << "words";
                         }).value();

    CHECK(names_in(content, folder) == std::set<std::string>{"late.md", "x/a.md", "x/late.md"});
}

TEST_CASE("a folder that is not there is not found") {
    IgnoreRules rules("/nowhere", {});

    CHECK(look_into_folder("/nowhere", rules).error().code == ErrorCode::not_found);
}

TEST_CASE("inside is by whole names") {
    CHECK(is_inside("/a", "/a"));
    CHECK(is_inside("/a/b/c", "/a/b"));
    CHECK_FALSE(is_inside("/ab", "/a"));
    CHECK_FALSE(is_inside("/a", "/a/b"));
    CHECK(is_inside("/a", "/"));
}

TEST_CASE("many files are read by several threads, each once") {
    const TemporaryFolder folder;
    std::vector<std::string> paths;
    std::multiset<std::string> expected, read;
    for (int i = 0; i < 100; ++i) {
        paths.push_back(folder.write(std::to_string(i) + ".md", "word " + std::to_string(i)));
        expected.insert("word " + std::to_string(i) + "\n");
    }
    paths.push_back(folder.file("missing.md"));
    FilesSource source(paths, {}, 4);
    int failed = 0;

    while (auto document = source.next()) {
        CHECK((*document ? path_of_file_url((*document)->url).value() : paths.back()) ==
              paths[source.last()]);
        if (*document)
            read.insert((*document)->markdown);
        else
            ++failed;
    }

    CHECK(read == expected);
    CHECK(failed == 1);
}

TEST_CASE("who stops asking for documents is not kept waiting") {
    const TemporaryFolder folder;
    const std::vector<std::string> paths(1'000, folder.write("a.md", "words"));

    FilesSource source(paths, {}, 4);

    CHECK(source.next().has_value());
}
