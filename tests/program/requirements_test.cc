// docs/requirements.md says of each requirement whether it works, and what shows it: a test, a command, a
// file. Tests are renamed and flags go, and nobody who does that thinks of a table; this does. Each message
// names the row and the way out.
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "program/run_quarry.h"

using namespace quarry::test;

namespace {

namespace fs = std::filesystem;

constexpr int last_requirement = 226;

// What proofs may name: all that is asked of the source tree and the program.
struct Known {
    std::set<std::string> tests{};  // names of test cases
    std::map<std::string, std::set<std::string>>
        words{};  // what may follow a command; of "" all commands and flags
    std::function<bool(const std::string& path)> is_there = [](const std::string&) { return false; };
};

std::string text_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

// A literal and those that follow it, put together as the compiler does. Nothing if none begins at `at`.
std::string literal_at(std::string_view code, std::size_t at) {
    std::string text;
    while (at < code.size() && code[at] == '"') {
        for (++at; at < code.size() && code[at] != '"'; ++at) {
            if (code[at] == '\\') ++at;
            if (at < code.size()) text += code[at];
        }
        at = code.find_first_not_of(" \t\r\n", at + 1);
    }
    return text;
}

// The names of TEST_CASE("…"), TEST_CASE_TEMPLATE("…", …) and TEST_CASE_FIXTURE(Fixture, "…").
void add_tests(std::string_view code, std::set<std::string>& names) {
    constexpr std::string_view macro = "TEST_CASE";
    for (std::size_t at = code.find(macro); at != std::string_view::npos; at = code.find(macro, at)) {
        at = code.find('(', at);
        if (at == std::string_view::npos) return;
        const std::size_t quote = code.find('"', at);
        const std::string_view between =
            quote == std::string_view::npos ? "" : code.substr(at + 1, quote - at - 1);
        // Nothing, or the name of a fixture.
        const bool is_name = between.find_first_of("();{}") == std::string_view::npos;
        if (std::string name = is_name ? literal_at(code, quote) : ""; !name.empty())
            names.insert(std::move(name));
    }
}

std::set<std::string> tests_of_tree(const fs::path& root) {
    std::set<std::string> names;
    for (const char* folder : {"src", "tests"})
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const auto extension = entry.path().extension();
            if (entry.is_regular_file() && (extension == ".cc" || extension == ".h"))
                add_tests(text_of(entry.path()), names);
        }
    return names;
}

std::set<std::string> split(const std::string& text) {
    std::istringstream in(text);
    std::set<std::string> words;
    for (std::string word; in >> word;) words.insert(word);
    return words;
}

// As the program tells a shell: `        crawl) words="--limit …" ;;`, and `*)` for the first word.
std::map<std::string, std::set<std::string>> words_of_program(const std::string& completion) {
    std::map<std::string, std::set<std::string>> words;
    static const std::regex line(R"re(^\s*([a-z*-]+)\) words="([^"]*)" ;;$)re");
    std::istringstream in(completion);
    std::smatch found;
    for (std::string text; std::getline(in, text);)
        if (std::regex_match(text, found, line))
            words[found[1] == "*" ? "" : found[1].str()] = split(found[2]);
    return words;
}

Known known_here() {
    const fs::path root = QUARRY_SOURCE;
    return {.tests = tests_of_tree(root),
            .words = words_of_program(run_quarry({"completion", "bash"}).out),
            .is_there = [root](const std::string& path) { return fs::exists(root / path); }};
}

struct Row {
    int number = 0;
    std::string wording{}, state{}, shown_by{};
};

std::string trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == std::string_view::npos
               ? ""
               : std::string(text.substr(begin, text.find_last_not_of(' ') - begin + 1));
}

// `\|` is a bar within a cell.
std::vector<std::string> cells_of(std::string_view line) {
    std::vector<std::string> cells(1);
    for (std::size_t at = 1; at < line.size(); ++at) {
        if (line[at] == '\\' && line.substr(at + 1).starts_with('|')) {
            cells.back() += line[++at];
        } else if (line[at] == '|') {
            cells.emplace_back();
        } else {
            cells.back() += line[at];
        }
    }
    cells.pop_back();  // behind the last bar
    for (std::string& cell : cells) cell = trimmed(cell);
    return cells;
}

class Examination {
public:
    Examination(const std::string& document, const Known& known) : document_(document), known_(known) {}

    std::vector<std::string> problems() {
        std::set<int> seen;
        std::istringstream in(document_);
        static const std::regex row_begin(R"(^\| *\d.*)");
        for (std::string line; std::getline(in, line);) {
            if (!std::regex_match(line, row_begin)) continue;
            const auto cells = cells_of(line);
            Row row;
            if (!cells.empty())
                std::from_chars(cells[0].data(), cells[0].data() + cells[0].size(), row.number);
            if (cells.size() != 4) {
                say(row, fmt::format("it has {} cells instead of 4: write | number | requirement | state | "
                                     "shown by |, and a bar within a cell as \\|",
                                     cells.size()));
            } else {
                row.wording = cells[1], row.state = cells[2], row.shown_by = cells[3];
                examine(row);
            }
            if (row.number < 1 || row.number > last_requirement)
                say(row, fmt::format("there are requirements 1 to {}", last_requirement));
            else if (!seen.insert(row.number).second)
                say(row, "it is there twice: remove one of the two");
        }
        for (int number = 1; number <= last_requirement; ++number)
            if (!seen.contains(number))
                say({.number = number}, "it is missing: add a row that says its state and what shows it");
        return problems_;
    }

private:
    void say(const Row& row, const std::string& problem) {
        problems_.push_back(fmt::format("docs/requirements.md, row {}: {}", row.number, problem));
    }

    void examine(const Row& row) {
        if (row.wording.empty()) say(row, "it does not say what is required");
        examine_state(row);
        const auto tests = parts(row.shown_by, '"'), commands = parts(row.shown_by, '`');
        if (row.state == "works" && tests.empty() && commands.empty())
            say(row,
                "it works, and nothing shows it: name a test in \"double quotes\", or a command or file in "
                "`backticks`");
        if (row.state != "works" && row.shown_by.empty()) say(row, "it does not say why");
        for (const std::string& name : tests) examine_test(row, name);
        for (const std::string& text : commands) {
            if (text.starts_with("quarry ")) examine_command(row, text);
            for (const char* folder : {"bench/", "tests/", "docs/", "src/"})
                if (text.starts_with(folder)) examine_path(row, text.substr(0, text.find(' ')));
        }
    }

    void examine_state(const Row& row) {
        static const std::regex by_decision(R"(as Z(\d+) has it)");
        std::smatch found;
        if (row.state == "works" || row.state == "not wanted" || row.state == "later") return;
        if (!std::regex_match(row.state, found, by_decision))
            return say(row,
                       fmt::format("there is no state \"{}\": it is works, as Z5 has it, not wanted or later",
                                   row.state));
        if (document_.find(fmt::format("\n| Z{} |", found[1].str())) == std::string::npos)
            say(row,
                fmt::format("no decision Z{0} is in the document: add the line | Z{0} | … |, or name another",
                            found[1].str()));
    }

    void examine_test(const Row& row, const std::string& name) {
        if (!known_.tests.contains(name))
            say(row,
                fmt::format(
                    "no test in src/ or tests/ is named \"{}\": if it was renamed, name it as it is called "
                    "now; if it went, name what shows the requirement instead",
                    name));
    }

    void examine_path(const Row& row, const std::string& path) {
        if (!known_.is_there(path))
            say(row, fmt::format("there is no {}: name the file as it is called now", path));
    }

    // quarry [COMMAND [SUBCOMMAND]] words and --flags
    void examine_command(const Row& row, const std::string& line) {
        const auto said = [&](const std::string& what) {
            say(row, fmt::format("`{}`: the program knows no {}. See quarry --help", line, what));
        };
        std::vector<std::string> words;
        std::istringstream in(line.substr(line.find(' ')));
        for (std::string word; in >> word;) words.push_back(word.substr(0, word.find('=')));
        const bool is_of_command = !words.empty() && !words[0].starts_with('-');
        const auto command = known_.words.find(is_of_command ? words[0] : "");
        if (command == known_.words.end())
            return said(fmt::format("command \"{}\"", words.empty() ? "" : words[0]));
        const std::set<std::string>& after = command->second;
        const bool has_subcommands = is_of_command && std::ranges::any_of(after, [](const auto& word) {
                                         return !word.starts_with('-');
                                     });
        if (has_subcommands && words.size() > 1 && !words[1].starts_with('-') && !after.contains(words[1]))
            said(fmt::format("\"{} {}\"", words[0], words[1]));
        for (const std::string& word : words)
            if (word.starts_with("--") && word.size() > 2 && !after.contains(word))
                said(fmt::format("{} of this command", word));
    }

    // What stands between two of these signs.
    static std::vector<std::string> parts(const std::string& text, char sign) {
        std::vector<std::string> found;
        for (std::size_t begin = text.find(sign); begin != std::string::npos;) {
            const std::size_t end = text.find(sign, begin + 1);
            if (end == std::string::npos) break;
            found.push_back(text.substr(begin + 1, end - begin - 1));
            begin = text.find(sign, end + 1);
        }
        return found;
    }

    const std::string& document_;
    const Known& known_;
    std::vector<std::string> problems_;
};

// A whole table, in which row 7 stands as it is given.
std::string table_with(const std::string& seventh) {
    std::string table = "\n| Z5 | leases |\n\n| nr | requirement | state | shown by |\n|---|---|---|---|\n";
    for (int number = 1; number <= last_requirement; ++number)
        table += number == 7 ? seventh
                             : fmt::format("| {} | something | works | \"a stone is found\" |\n", number);
    return table;
}

}  // namespace

TEST_CASE("what docs/requirements.md names is there") {
    const fs::path file = fs::path(QUARRY_SOURCE) / "docs/requirements.md";
    const std::string document = text_of(file);
    REQUIRE_MESSAGE(!document.empty(), file << " is missing or empty");
    const Known known = known_here();
    // What is asked must answer, or nothing would be found wrong.
    REQUIRE(known.tests.contains("what docs/requirements.md names is there"));
    REQUIRE(known.words.contains("crawl"));

    for (const std::string& problem : Examination(document, known).problems()) FAIL_CHECK(problem);
}

TEST_CASE("a row of the requirements that is wrong is named, with the way out") {
    Known known{.words = words_of_program("        crawl) words=\"--limit --json\" ;;\n"
                                          "        queue) words=\"list process --batch --json\" ;;\n"
                                          "        *) words=\"crawl queue --json\" ;;\n"),
                .is_there = [](const std::string& path) { return path == "bench/queue.sh"; }};
    add_tests(
        "TEST_CASE(\n    \"a stone \"\n    \"is found\") {\nTEST_CASE_TEMPLATE(\"a stone is lost\", Backend, "
        "int)\n"
        "TEST_CASE_FIXTURE(Pit, \"a \\\"stone\\\"\") { CHECK(x == \"no test\");",
        known.tests);
    CHECK(known.tests == std::set<std::string>{"a stone is found", "a stone is lost", "a \"stone\""});
    struct Case {
        const char* row;
        const char* said;  // nullptr: nothing
    };
    const Case cases[] = {
        {"| 7 | it | works | \"a stone is found\"; \"a stone is lost\" |\n", nullptr},
        {"| 7 | it | works | `quarry crawl URL --limit 5 \\| head`; `bench/queue.sh 4` measures |\n",
         nullptr},
        {"| 7 | it | works | `quarry queue process --batch 5`; `quarry --json` |\n", nullptr},
        {"| 7 | it | as Z5 has it | leases are tokens |\n", nullptr},
        {"| 7 | it | not wanted | nobody needs it |\n", nullptr},
        {"", "row 7: it is missing: add a row"},
        {"| 8 | it | works | \"a stone is found\" |\n", "row 8: it is there twice: remove one"},
        {"| 227 | it | works | \"a stone is found\" |\n", "row 227: there are requirements 1 to 226"},
        {"| 7 | it | done | \"a stone is found\" |\n", "row 7: there is no state \"done\": it is works"},
        {"| 7 | it | as Z6 has it | so |\n", "row 7: no decision Z6 is in the document: add the line"},
        {"| 7 | it | works | one sees it |\n", "row 7: it works, and nothing shows it: name a test"},
        {"| 7 | it | later | |\n", "row 7: it does not say why"},
        {"| 7 | it | works | \"a stone is fond\" |\n",
         "row 7: no test in src/ or tests/ is named \"a stone is fond\""},
        {"| 7 | it | works | \"no test\" |\n", "row 7: no test in src/ or tests/ is named"},
        {"| 7 | it | works | `quarry crwal URL` |\n",
         "row 7: `quarry crwal URL`: the program knows no command \"crwal\""},
        {"| 7 | it | works | `quarry queue proces` |\n", "the program knows no \"queue proces\""},
        {"| 7 | it | works | `quarry crawl URL --batch 5` |\n",
         "the program knows no --batch of this command"},
        {"| 7 | it | works | `bench/gone.py` |\n", "row 7: there is no bench/gone.py: name the file"},
        {"| 7 | it | works |\n", "row 7: it has 3 cells instead of 4"},
    };
    for (const Case& each : cases) {
        CAPTURE(std::string(each.row));
        std::string said;
        for (const std::string& problem : Examination(table_with(each.row), known).problems())
            said += problem + "\n";
        if (each.said)
            CHECK_MESSAGE(contains(said, each.said), said);
        else
            CHECK_MESSAGE(said.empty(), said);
    }
}
