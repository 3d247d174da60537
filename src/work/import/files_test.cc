#include "work/import/files.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "servers/temporary_folder.h"
#include "work/import/documents.h"

using namespace quarry;
using namespace quarry::work;
using test::TemporaryFolder;

TEST_CASE("a path becomes a URL, and the same path again") {
    struct Row {
        const char *path, *url;
    };
    const Row rows[] = {
        {"/home/a/notes.md", "file:///home/a/notes.md"},
        {"/a b/ü.md", "file:///a%20b/%C3%BC.md"},
        {"/100%.md", "file:///100%25.md"},
        {"/100%25.md", "file:///100%2525.md"},
        {"/what?#1.md", "file:///what%3F%231.md"},
        {"/back\\slash.md", "file:///back%5Cslash.md"},
        {"/\xFF.md", "file:///%FF.md"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.url);
        CHECK(file_url(row.path) == row.url);
        CHECK(path_of_file_url(row.url) == row.path);
    }
    CHECK_FALSE(path_of_file_url("https://a.example/"));
    CHECK_FALSE(path_of_file_url("7"));
    CHECK_FALSE(path_of_file_url("file://host/a.md"));
}

TEST_CASE("documents are told apart by every letter of what they are known by") {
    CHECK(document_key("7") == document_key("7"));
    CHECK(document_key("7") != document_key("8"));
    CHECK(document_key("http://a.example/x") != document_key("http://a.example/x/"));
}

TEST_CASE("a document survives the way through JSON") {
    ImportDocument document{.url = "7",
                            .id = "seven",
                            .title = "T",
                            .markdown = "words \x01 \"q\"",
                            .language = "en",
                            .content_type = "text/plain",
                            .etag = "1-2",
                            .last_modified = "2026-01-01T00:00:00Z",
                            .body_bytes = 12};
    document.metadata["year"] = 2020;

    const auto page = boost::json::parse(boost::json::serialize(to_json(document)));
    const auto back = parse_import_document(page).value();

    CHECK(back.url == document.url);
    CHECK(back.id == document.id);
    CHECK(back.title == document.title);
    CHECK(back.markdown == document.markdown);
    CHECK(back.language == document.language);
    CHECK(back.content_type == document.content_type);
    CHECK(back.etag == document.etag);
    CHECK(back.last_modified == document.last_modified);
    CHECK(back.body_bytes == 12);
    CHECK(back.metadata == document.metadata);
}

TEST_CASE("what is no page is refused") {
    for (const char* text : {"[]", "{}", R"({"url":""})", R"({"url":7})", R"({"url":"7","title":[]})"}) {
        CAPTURE(text);
        CHECK(parse_import_document(boost::json::parse(text)).error().code == ErrorCode::invalid_argument);
    }
}

TEST_CASE("the name of a file says how it is read, and whether it is looked for") {
    CHECK(content_type_of_file("/a/b.MD") == "text/markdown");
    CHECK(content_type_of_file("/a.html/b") == "");
    CHECK(content_type_of_file("b.pdf") == "application/pdf");
    for (const char* name : {"a.md", "a.txt", "a.HTML", "a.pdf", "x/a.rst"}) CHECK(is_document_name(name));
    for (const char* name : {"a.png", "a", "md", "a.json", "a.jsonl", "a.md.bak"})
        CHECK_FALSE(is_document_name(name));
}

TEST_CASE("markdown keeps its words, and gives its front matter away") {
    const TemporaryFolder folder;
    const std::string path = folder.write(
        "guide.md", "---\ntitle: Setting up\nlang: en\nauthor: Ann\n---\n# Install\n\nRun `make`.\n");

    const auto document = read_file_document(path, {}).value();

    CHECK(document.url == file_url(path));
    CHECK(document.title == "Setting up");
    CHECK(document.language == "en");
    CHECK(document.markdown == "# Install\n\nRun `make`.\n");
    CHECK(document.content_type == "text/markdown");
    CHECK(document.metadata.at("author") == "Ann");
    CHECK(document.body_bytes == static_cast<std::int64_t>(std::filesystem::file_size(path)));
    CHECK(document.etag == look_at_file(path).value().etag());
    CHECK(document.last_modified.starts_with("20"));
}

TEST_CASE("HTML is read for its main content, and text as it stands") {
    const TemporaryFolder folder;
    const std::string html = folder.write(
        "page.html",
        "<html><head><title>A page</title></head><body><nav><a href=/>Home</a></nav><main><h1>A page</h1>"
        "<p>Some <b>bold</b> words, enough of them to be taken for what the page is "
        "about.</p></main></body>");
    const std::string text = folder.write("my notes.txt", std::string(200, 'x') + "\n* not *markdown*\n");

    const auto page = read_file_document(html, {}).value();
    const auto notes = read_file_document(text, {}).value();

    CHECK(page.title == "A page");
    CHECK(page.markdown.find("Some **bold** words") != std::string::npos);
    CHECK(page.markdown.find("Home") == std::string::npos);
    CHECK(notes.title == "my notes.txt");
    CHECK(notes.markdown == std::string(200, 'x') + "\n* not *markdown*\n");
}

TEST_CASE("what cannot be read says so in a sentence that names it") {
    const TemporaryFolder folder;
    const std::string empty = folder.write("empty.md", "\n \n");
    const std::string broken = folder.write("broken.pdf", "%PDF-1.4 and nothing more");
    std::filesystem::create_symlink(empty, folder.file("link.md"));
    REQUIRE(mkfifo(folder.file("pipe.md").c_str(), 0600) == 0);

    CHECK(read_file_document(folder.file("none.md"), {}).error().code == ErrorCode::not_found);
    CHECK(read_file_document(empty, {}).error().code == ErrorCode::not_found);
    CHECK(read_file_document(empty, {}).error().message.starts_with(empty));
    CHECK(read_file_document(folder.file("link.md"), {}).error().code == ErrorCode::unsupported);
    CHECK(read_file_document(folder.file("pipe.md"), {}).error().code == ErrorCode::unsupported);
    CHECK(read_file_document(folder.path(), {}).error().code == ErrorCode::unsupported);
    CHECK_FALSE(read_file_document(broken, {.program = "/bin/false"}));
}

TEST_CASE("a file that changes has another etag") {
    const TemporaryFolder folder;
    const std::string path = folder.write("a.md", "one");
    const std::string before = look_at_file(path).value().etag();
    folder.write("a.md", "three");
    const std::string longer = look_at_file(path).value().etag();
    std::filesystem::last_write_time(path,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));

    CHECK(before != longer);
    CHECK(look_at_file(path).value().etag() != longer);
}

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
