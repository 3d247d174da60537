#include "text/diff.h"

#include <random>

#include <doctest/doctest.h>

using namespace quarry::text;

namespace {

// Puts a text together again from one side of a diff that shows all lines.
std::string patched(std::string_view before, const std::vector<DiffHunk>& hunks) {
    std::vector<std::string> lines;
    for (std::string_view rest = before; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        lines.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    std::string text;
    std::size_t at = 0;
    for (const DiffHunk& hunk : hunks) {
        const std::size_t start = hunk.old_count == 0 ? hunk.old_start : hunk.old_start - 1;
        for (; at < start; ++at) text += lines.at(at) + '\n';
        for (const DiffLine& line : hunk.lines) {
            if (line.change != LineChange::added) CHECK(lines.at(at++) == line.text);
            if (line.change != LineChange::removed) (text += line.text) += '\n';
        }
    }
    for (; at < lines.size(); ++at) text += lines.at(at) + '\n';
    return text;
}

std::string random_text(std::mt19937& random, int lines) {
    std::string text;
    for (int i = 0; i < lines; ++i) (text += static_cast<char>('a' + random() % 4)) += '\n';
    return text;
}

}  // namespace

TEST_CASE("changes are shown as git shows them") {
    struct Row {
        const char* before;
        const char* after;
        const char* diff;
    };
    const Row rows[] = {
        {"", "", ""},
        {"a\nb\n", "a\nb\n", ""},
        {"a\nb", "a\nb\n", ""},  // the last line end makes no difference
        {"", "a\n", "@@ -0,0 +1 @@\n+a\n"},
        {"a\n", "", "@@ -1 +0,0 @@\n-a\n"},
        {"a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
        {"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\nx\n",
         "@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+x\n"},
        {"a\n1\n2\n3\n4\n5\n6\n7\nb\n", "1\n2\n3\n4\n5\n6\n7\n",
         "@@ -1,4 +1,3 @@\n-a\n 1\n 2\n 3\n@@ -6,4 +5,3 @@\n 5\n 6\n 7\n-b\n"},
        // Six lines between two changes are shown whole.
        {"a\n1\n2\n3\n4\n5\n6\nb\n", "1\n2\n3\n4\n5\n6\n",
         "@@ -1,8 +1,6 @@\n-a\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.before);
        CAPTURE(row.after);
        CHECK(unified(diff_lines(row.before, row.after)) == row.diff);
    }
}

TEST_CASE("as little is changed as possible") {
    const auto hunks = diff_lines("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n");

    int changes = 0;
    for (const DiffHunk& hunk : hunks)
        for (const DiffLine& line : hunk.lines) changes += line.change != LineChange::same;
    CHECK(changes == 5);  // of Myers' paper
}

TEST_CASE("a diff turns the one text into the other, whatever they are and however little may be searched") {
    std::mt19937 random(7);
    for (int round = 0; round < 500; ++round) {
        const std::string before = random_text(random, static_cast<int>(random() % 30));
        const std::string after = random_text(random, static_cast<int>(random() % 30));
        for (const std::size_t edits : {0, 3, 1'000}) {
            CAPTURE(before);
            CAPTURE(after);
            CHECK(patched(before, diff_lines(before, after, {.edits = edits})) == after);
        }
    }
}

TEST_CASE("beyond the limits everything between the first and the last change is replaced") {
    const auto hunks = diff_lines("s\na\nb\nc\ne\n", "s\nx\nb\ny\ne\n", {.edits = 3});

    CHECK(unified(hunks) == "@@ -1,5 +1,5 @@\n s\n-a\n-b\n-c\n+x\n+b\n+y\n e\n");
    CHECK(diff_lines("s\na\nb\nc\ne\n", "s\nx\nb\ny\ne\n", {.edits = 4}).front().lines.size() == 7);
}
