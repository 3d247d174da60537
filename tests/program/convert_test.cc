// `quarry convert`: local files to markdown, without network.
#include <filesystem>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "program/run_quarry.h"

using namespace quarry::test;

namespace {

const std::string site = QUARRY_SOURCE "/tests/site";

}  // namespace

TEST_CASE("a file becomes the markdown of its main content") {
    const Ran ran =
        run_quarry({"convert", site + "/guide/install.html", "--url", "https://granite.example/guide/"});

    CHECK(ran.exit_code == 0);
    CHECK(ran.err.empty());
    CHECK(ran.out.starts_with("# Installing Granite\n"));
    CHECK(contains(ran.out, "```bash\ngit clone granite\ncd granite\n    make && make install\n```"));
    CHECK(contains(ran.out, "`granite --version`"));
    CHECK_FALSE(contains(ran.out, "Copyright"));
    CHECK_FALSE(contains(ran.out, "¶"));
}

TEST_CASE("the full page keeps navigation and footer, and links become absolute") {
    const Ran ran =
        run_quarry({"convert", site + "/index.html", "--url", "https://granite.example/", "--full-page"});

    CHECK(ran.exit_code == 0);
    CHECK(contains(ran.out, "[Home](https://granite.example/)"));
    CHECK(contains(ran.out, "[installation guide](https://granite.example/guide/install.html)"));
    CHECK(contains(ran.out, "Copyright Granite makers."));
}

TEST_CASE("selectors include and exclude parts of the page") {
    const Ran only = run_quarry({"convert", site + "/guide/tables.html", "--include-tags", "table"});
    CHECK(only.out ==
          "| Size | Weight |\n| --- | ---: |\n| pebble | 10 g |\n| cobble \\| sett | 2 kg |\n"
          "| boulder | not advised |\n");

    const Ran without = run_quarry({"convert", site + "/guide/tables.html", "--exclude-tags", "#sizes, h1"});
    CHECK(contains(without.out, "Stones come in three sizes."));
    CHECK_FALSE(contains(without.out, "pebble"));

    const Ran wrong = run_quarry({"convert", site + "/guide/tables.html", "--include-tags", "table["});
    CHECK(wrong.exit_code == 2);
    CHECK_FALSE(wrong.err.empty());
}

TEST_CASE("standard input is read for a dash") {
    const Ran ran =
        run_quarry({"convert", "-"}, {.input = "<title>x</title><h1>Title</h1><p>Hello <b>world</b>.</p>"});

    CHECK(ran.exit_code == 0);
    CHECK(ran.out == "# Title\n\nHello **world**.\n");
}

TEST_CASE("with --json the document comes with its metadata") {
    const Ran ran =
        run_quarry({"convert", site + "/blog/release.html", "--url", "https://granite.example/b", "--json"});

    REQUIRE(ran.exit_code == 0);
    const auto record = boost::json::parse(ran.out).as_object();
    CHECK(record.at("success").as_bool());
    CHECK(contains(record.at("markdown").as_string().c_str(), "# Granite 2.0 is out"));
    const auto& metadata = record.at("metadata").as_object();
    CHECK(metadata.at("title").as_string() == "Granite 2.0 is out");
    CHECK(metadata.at("language").as_string() == "en");
}

TEST_CASE("a list is converted in bulk, a file per id, and what fails is said without stopping the rest") {
    const TemporaryFolder folder;
    const std::string list = folder.write(
        "list.tsv", "one\t" + site + "/index.html\thttps://granite.example/\n" + "two\t" + site +
                        "/guide/tables.html\t\n" + "three\t" + site +
                        "/none.html\thttps://granite.example/\n" + "../four\t" + site + "/index.html\t\n");

    const Ran ran = run_quarry({"convert", "--list", list, "-o", folder.file("out"), "--jobs", "2"});

    CHECK(ran.exit_code == 1);
    CHECK(read_file(folder.file("out/one.md")).starts_with("# Granite\n"));
    CHECK(contains(read_file(folder.file("out/two.md")),
                   "| Size | Weight |\n| --- | ---: |\n| pebble | 10 g |"));
    CHECK_FALSE(std::filesystem::exists(folder.file("four.md")));
    CHECK(contains(ran.err, "File not found"));
    CHECK(contains(ran.err, "2 succeeded, 2 failed"));
}

TEST_CASE("bad input is one clear sentence and the right exit code") {
    const TemporaryFolder folder;
    struct Case {
        std::vector<std::string> arguments;
        int exit_code;
        const char* sentence;
    };
    const std::string empty = folder.write("empty.html", "");
    const std::string blank = folder.write("blank.html", "<html><body>   </body></html>");
    const std::string binary = folder.write("picture.png", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
    const std::string broken = folder.write("broken.pdf", "%PDF-1.4\nnot really");
    const Case cases[] = {
        {{"convert"}, 2, "file"},
        {{"convert", folder.file("none.html")}, 2, "File not found"},
        {{"convert", folder.path()}, 2, "cannot read"},
        {{"convert", empty}, 1, "empty"},
        {{"convert", blank}, 1, "no text"},
        {{"convert", binary}, 1, "PNG image"},
        {{"convert", broken}, 1, "PDF"},
        {{"convert", site + "/index.html", "--url", "http://not a url"}, 2, "Invalid URL"},
        {{"convert", site + "/index.html", "--formats", "markdwon"}, 2, "markdown"},
        {{"convert", "--list", folder.file("none.tsv"), "-o", folder.file("out")}, 2, "File not found"},
        {{"convert", "--list", site + "/index.html"}, 2, "-o"},
    };
    for (const Case& example : cases) {
        CAPTURE(std::string(example.sentence));
        const Ran ran = run_quarry(example.arguments);
        CHECK(ran.exit_code == example.exit_code);
        CHECK_MESSAGE(contains(ran.err, example.sentence), ran.err);
        CHECK(ran.err.starts_with("error: "));
        CHECK(ran.out.empty());
    }
}

TEST_CASE("NUL bytes, a wrong charset label and broken UTF-8 still give the text") {
    const TemporaryFolder folder;
    const std::string nul = folder.write("nul.html", std::string("<p>before\0after the NUL byte</p>", 31));
    const std::string label = folder.write("label.html",
                                           "<meta charset=utf-16><p>Gr\xc3\xbc\xc3\x9f"
                                           "e aus K\xc3\xb6ln</p>");
    const std::string latin = folder.write("latin.html",
                                           "<meta charset=iso-8859-1><p>Gr\xfc\xdf"
                                           "e aus K\xf6ln</p>");

    CHECK(contains(run_quarry({"convert", nul}).out, "after the NUL byte"));
    CHECK(contains(run_quarry({"convert", label}).out,
                   "Gr\xc3\xbc\xc3\x9f"
                   "e aus K\xc3\xb6ln"));
    CHECK(contains(run_quarry({"convert", latin}).out,
                   "Gr\xc3\xbc\xc3\x9f"
                   "e aus K\xc3\xb6ln"));
}
