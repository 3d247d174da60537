// The tree-construction cases of web-platform-tests, and a table of our own for checkouts without them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "html/parser.h"
#include "html/tree_dump.h"

using namespace quarry::html;

namespace {

enum class ScriptSetting { either, off, on };

struct Case {
    std::string data{};
    std::string expected{};
    std::string context{};  // of a fragment; "" for a page
    ScriptSetting scripting = ScriptSetting::either;
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

// Adds one line of a section to the case.
void add_line(Case& current, const std::string& section, const std::string& line) {
    if (section == "#data") current.data += (current.data.empty() ? "" : "\n") + line;
    if (section == "#document-fragment") current.context = line;
    if (section == "#document") current.expected += line + "\n";
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

std::vector<Case> read_cases(const std::filesystem::path& path) {
    std::vector<Case> cases;
    std::string section;
    bool first_data_line = false;
    for (const std::string& line : split_lines(read_file(path))) {
        if (line == "#data" && (section.empty() || section == "#document")) cases.emplace_back();
        if (is_section(line)) {
            section = line;
            first_data_line = line == "#data";
            if (line == "#script-on") cases.back().scripting = ScriptSetting::on;
            if (line == "#script-off") cases.back().scripting = ScriptSetting::off;
            continue;
        }
        if (cases.empty()) continue;
        if (section == "#data") {
            cases.back().data += (first_data_line ? "" : "\n") + line;
            first_data_line = false;
        } else {
            add_line(cases.back(), section, line);
        }
    }
    for (Case& one : cases) {
        while (one.expected.ends_with("\n\n")) one.expected.pop_back();
    }
    return cases;
}

std::string parse_and_dump(const Case& one) {
    ParserOptions options;
    if (one.scripting == ScriptSetting::on) options.scripting = Scripting::on;
    if (one.context.empty()) return dump(parse(one.data, options), document_node);
    FragmentContext context{.tag = one.context};
    if (one.context.starts_with("svg ")) context = {one.context.substr(4), Namespace::svg};
    if (one.context.starts_with("math ")) context = {one.context.substr(5), Namespace::mathml};
    const std::string name = one.context.substr(one.context.find(' ') + 1);
    context.tag = name;
    const Tree tree = parse_fragment(one.data, context, options);
    return dump(tree, tree.html());
}

}  // namespace

TEST_CASE("pages become the trees of the web platform tests") {
    const std::filesystem::path folder = QUARRY_SUITES "/suites/wpt-html-tree";
    if (!std::filesystem::exists(folder)) {
        MESSAGE("skipped: no tree-construction suite at " << folder.string());
        return;
    }
    std::size_t count = 0, wrong = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".dat") continue;
        std::size_t file_wrong = 0, n = 0;
        for (const Case& one : read_cases(entry.path())) {
            ++n;
            const std::string got = parse_and_dump(one);
            if (got == one.expected) continue;
            ++file_wrong;
            MESSAGE(entry.path().filename().string() << ": " << one.data << "\n[" << one.context << "]\n"
                                                     << one.expected << "\n---- got\n"
                                                     << got);
        }
        count += n;
        wrong += file_wrong;
        if (file_wrong) MESSAGE(entry.path().filename().string() << " " << file_wrong << " of " << n);
    }
    MESSAGE(wrong << " wrong of " << count);
}
