#include "work/import/ignore.h"

#include <doctest/doctest.h>

#include "servers/temporary_folder.h"

using namespace quarry::work;
using quarry::test::TemporaryFolder;

TEST_CASE("a glob matches as in .gitignore") {
    struct Row {
        const char *pattern, *path;
        bool matches;
    };
    const Row rows[] = {
        {"a.md", "a.md", true},
        {"a.md", "b.md", false},
        {"*.md", "a.md", true},
        {"*.md", ".md", true},
        {"*.md", "a.md.txt", false},
        {"*.md", "x/a.md", false},
        {"*", "", true},
        {"*", "a/b", false},
        {"a*b*c", "a-b-b-c", true},
        {"a*b*c", "a-c-b", false},
        {"?.md", "a.md", true},
        {"?.md", "ab.md", false},
        {"a?b", "a/b", false},
        {"[a-c].md", "b.md", true},
        {"[a-c].md", "d.md", false},
        {"[!a-c].md", "d.md", true},
        {"[^a-c].md", "b.md", false},
        {"[]]", "]", true},
        {"[a-]", "-", true},
        {"a[/]b", "a/b", false},
        {"[ab", "[ab", true},
        {"\\*.md", "*.md", true},
        {"\\*.md", "a.md", false},
        {"**", "a/b/c", true},
        {"**/c", "c", true},
        {"**/c", "a/b/c", true},
        {"**/c", "a/bc", false},
        {"a/**/c", "a/c", true},
        {"a/**/c", "a/x/y/c", true},
        {"a/**/c", "b/c", false},
        {"a/**", "a/x/y", true},
        {"a/**", "ab", false},
        {"a/*/c", "a/b/c", true},
        {"a/*/c", "a/b/b/c", false},
        {"**/*.log", "x/y/a.b.log", true},
        {"**/a*/b", "x/a1/c/a2/b", true},
        {"", "", true},
        {"", "a", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.pattern);
        CAPTURE(row.path);
        CHECK(matches_glob(row.pattern, row.path) == row.matches);
    }
}

TEST_CASE("a hostile pattern takes no time worth mentioning") {
    std::string pattern;
    for (int i = 0; i < 100; ++i) pattern += "**/a*";
    std::string path;
    for (int i = 0; i < 400; ++i) path += "aaaa/";

    CHECK_FALSE(matches_glob(pattern + "b", path));
}

TEST_CASE("the lines of an ignore file: comments, folders, anchors, and exceptions") {
    using Verdict = IgnorePatterns::Verdict;
    const auto patterns = IgnorePatterns::parse(
        "# a comment\r\n"
        "\n"
        "*.log\n"
        "!keep.log   \n"
        "build/\n"
        "/top.md\n"
        "docs/draft-*.md\n"
        "\\#x.md\n"
        "!\n"
        "/\n");
    struct Row {
        const char* path;
        bool is_folder;
        Verdict verdict;
    };
    const Row rows[] = {
        {"a.log", false, Verdict::ignored},          {"x/y/a.log", false, Verdict::ignored},
        {"x/keep.log", false, Verdict::wanted},      {"x/build", true, Verdict::ignored},
        {"x/build", false, Verdict::none},           {"top.md", false, Verdict::ignored},
        {"x/top.md", false, Verdict::none},          {"docs/draft-1.md", false, Verdict::ignored},
        {"x/docs/draft-1.md", false, Verdict::none}, {"#x.md", false, Verdict::ignored},
        {"a comment", false, Verdict::none},
    };
    for (const Row& row : rows) {
        CAPTURE(row.path);
        CHECK(patterns.check(row.path, row.is_folder) == row.verdict);
    }
}

TEST_CASE("hidden files and what editors leave behind are ignored") {
    IgnoreRules rules("/nowhere", {});
    for (const char* name : {".hidden.md", ".git/a.md", "a.md~", ".a.md.swp", "a.swp", "#a.md#", "4913",
                             "node_modules/x/readme.md", "a.md.tmp", "x/.cache/a.md"}) {
        CAPTURE(name);
        CHECK(rules.is_ignored(std::string("/nowhere/") + name, false));
    }
    for (const char* name : {"a.md", "x/y/a.md", "#", "4913.md", "node_modules.md", "a~b.md"}) {
        CAPTURE(name);
        CHECK_FALSE(rules.is_ignored(std::string("/nowhere/") + name, false));
    }
    CHECK(rules.is_ignored("/nowhere/x/node_modules", true));
    CHECK_FALSE(rules.is_ignored("/nowhere", true));
}

TEST_CASE("the ignore file of the nearest folder decides, and what is asked for by hand above all") {
    const TemporaryFolder folder;
    folder.write(".quarryignore", "*.txt\n!.github/\nprivate/\n");
    folder.write("notes/.quarryignore", "!*.txt\n/draft.md\n");
    IgnoreRules rules(folder.path(), {"*.html", "!wanted.md~"});

    CHECK(rules.is_ignored(folder.file("a.txt"), false));
    CHECK_FALSE(rules.is_ignored(folder.file("notes/a.txt"), false));
    CHECK_FALSE(rules.is_ignored(folder.file("notes/deep/a.txt"), false));
    CHECK(rules.is_ignored(folder.file("notes/draft.md"), false));
    CHECK_FALSE(rules.is_ignored(folder.file("notes/deep/draft.md"), false));
    CHECK(rules.is_ignored(folder.file("notes/a.html"), false));
    CHECK_FALSE(rules.is_ignored(folder.file("wanted.md~"), false));
    CHECK_FALSE(rules.is_ignored(folder.file(".github/a.md"), false));
    CHECK(rules.is_ignored(folder.file("private/notes/a.md"), false));
}

TEST_CASE("an ignore file that has changed is read again") {
    const TemporaryFolder folder;
    IgnoreRules rules(folder.path(), {});
    CHECK_FALSE(rules.is_ignored(folder.file("a.md"), false));
    folder.write(".quarryignore", "a.md\n");

    rules.forget_files();

    CHECK(rules.is_ignored(folder.file("a.md"), false));
}
