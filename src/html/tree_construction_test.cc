// The tree-construction cases of web-platform-tests. Cases of our own are in parser_test.cc.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "html/parser.h"
#include "html/tree_inspection.h"

using namespace quarry::html;

namespace {

struct Case {
    std::string data{};
    std::string expected{};
    std::string context{};  // of a fragment; "" for a page
    Scripting scripting = Scripting::off;
};

std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

bool is_section(const std::string& line) {
    static const std::vector<std::string> sections = {
        "#data", "#errors", "#new-errors", "#document-fragment", "#script-off", "#script-on", "#document"};
    return std::ranges::find(sections, line) != sections.end();
}

std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    lines.push_back(text.substr(begin));
    return lines;
}

void add_line(Case& current, const std::string& section, const std::string& line) {
    if (section == "#data") current.data += line + "\n";
    if (section == "#document-fragment") current.context = line;
    if (section == "#document") current.expected += line + "\n";
}

std::vector<Case> read_cases(const std::filesystem::path& path) {
    std::vector<Case> cases;
    std::string section;
    for (const std::string& line : split_lines(read_file(path))) {
        if (line == "#data" && (section.empty() || section == "#document")) cases.emplace_back();
        if (is_section(line)) {
            section = line;
            if (line == "#script-on") cases.back().scripting = Scripting::on;
        } else if (!cases.empty()) {
            add_line(cases.back(), section, line);
        }
    }
    for (Case& one : cases) {
        if (!one.data.empty()) one.data.pop_back();
        while (one.expected.ends_with("\n\n")) one.expected.pop_back();
    }
    return cases;
}

std::string parse_and_dump(const Case& one) {
    const ParserOptions options{.scripting = one.scripting};
    if (one.context.empty()) return dump(parse(one.data, options), document_node);
    const Namespace space = one.context.starts_with("svg ")    ? Namespace::svg
                            : one.context.starts_with("math ") ? Namespace::mathml
                                                               : Namespace::html;
    const std::string name = one.context.substr(one.context.find(' ') + 1);
    const Tree tree = parse_fragment(one.data, {.tag = name, .space = space}, options);
    return dump(tree, tree.html());
}

const std::set<std::string> known_misses = {
    // Browsers repeat the chosen <option> inside <selectedcontent>. A reader of pages wants its text once.
    "<select><button><selectedcontent></button><option>X",
    "<select><button><selectedcontent></button><option>x<i>i<b>ib</i>b",
    "<select><button><selectedcontent></button><option>X<option>Y",
    "<select><button><selectedcontent></button><option>X<option selected>Y",
};

// These change the page with a script while it is read; quarry runs no scripts here.
bool needs_scripts(const std::filesystem::path& path) {
    return path.filename().string().starts_with("scripted_");
}

}  // namespace

TEST_CASE("pages become the trees of the web platform tests") {
    const std::filesystem::path folder = QUARRY_SUITES "/suites/wpt-html-tree";
    if (!std::filesystem::exists(folder)) {
        MESSAGE("skipped: no tree-construction suite at " << folder.string());
        return;
    }
    std::size_t count = 0;
    std::set<std::string> missed;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".dat" || needs_scripts(entry.path())) continue;
        for (const Case& one : read_cases(entry.path())) {
            ++count;
            const std::string got = parse_and_dump(one);
            if (got == one.expected) continue;
            missed.insert(one.data);
            if (!known_misses.contains(one.data)) CHECK_MESSAGE(got == one.expected, one.data);
        }
    }

    CHECK(count >= 1930);
    CHECK(missed == known_misses);
}
