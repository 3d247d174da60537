// The tokenizer against the cases of html5lib.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "html/token_log.h"

using namespace quarry::html;
namespace json = boost::json;

namespace {

// Appends a code unit as the bytes UTF-8 would have; the suite has lone surrogates, which must pass through.
void append_code(std::string& out, unsigned code) {
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0 | code >> 6);
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0 | code >> 12);
        out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | code >> 18);
        out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
        out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    }
}

bool is_high_surrogate(unsigned code) {
    return code >= 0xD800 && code <= 0xDBFF;
}

// Resolves the second layer of \uXXXX that some cases have.
std::string unescape(std::string_view text) {
    std::string out;
    const auto code_at = [&](std::size_t i) {
        const bool escaped = i + 6 <= text.size() && text.substr(i, 2) == "\\u";
        return escaped ? static_cast<unsigned>(std::stoul(std::string(text.substr(i + 2, 4)), nullptr, 16))
                       : 0U;
    };
    for (std::size_t i = 0; i < text.size();) {
        if (text.substr(i, 2) != "\\u") {
            out += text[i++];
            continue;
        }
        unsigned code = code_at(i);
        i += 6;
        const unsigned low = is_high_surrogate(code) ? code_at(i) : 0;
        if (low >= 0xDC00 && low <= 0xDFFF) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            i += 6;
        }
        append_code(out, code);
    }
    return out;
}

// The suite's inputs are for a decoder's output: only line ends are left to do.
std::string with_line_feeds(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
        out += text[i] == '\r' ? '\n' : text[i];
    }
    return out;
}

class SuiteCase {
public:
    explicit SuiteCase(const json::object& test)
        : test_(test),
          double_escaped_(test.contains("doubleEscaped") && test.at("doubleEscaped").as_bool()) {}

    std::string input() const { return with_line_feeds(text(test_.at("input"))); }

    std::vector<std::string> expected() const {
        std::vector<std::string> lines;
        for (const json::value& value : test_.at("output").as_array())
            lines.push_back(line(value.as_array()));
        return lines;
    }

    std::string last_start_tag() const {
        return test_.contains("lastStartTag") ? text(test_.at("lastStartTag")) : std::string();
    }

    std::vector<std::string> states() const {
        std::vector<std::string> names;
        if (!test_.contains("initialStates")) return {"Data state"};
        for (const json::value& name : test_.at("initialStates").as_array()) names.push_back(text(name));
        return names;
    }

private:
    std::string text(const json::value& value) const {
        const std::string raw(value.as_string());
        return double_escaped_ ? unescape(raw) : raw;
    }
    std::string text_or_null(const json::value& value) const {
        return value.is_null() ? "null" : in_quotes(text(value));
    }

    std::string line(const json::array& token) const {
        const std::string kind(token[0].as_string());
        if (kind == "Character") return "Character " + text(token[1]);
        if (kind == "Comment") return "Comment " + in_quotes(text(token[1]));
        if (kind == "EndTag") return "EndTag " + text(token[1]);
        if (kind == "DOCTYPE") {
            return "DOCTYPE " + text_or_null(token[1]) + " " + text_or_null(token[2]) + " " +
                   text_or_null(token[3]) + (token[4].as_bool() ? "" : " quirks");
        }
        std::set<std::string> attributes;
        for (const auto& [name, value] : token[2].as_object()) {
            const std::string key = double_escaped_ ? unescape(name) : std::string(name);
            attributes.insert(key + "=" + in_quotes(text(value)));
        }
        std::string line = "StartTag " + text(token[1]);
        for (const std::string& attribute : attributes) line += " " + attribute;
        return line + (token.size() > 3 ? " /" : "");
    }

    const json::object& test_;
    bool double_escaped_;
};

TokenizerState state_named(std::string_view name) {
    if (name == "PLAINTEXT state") return TokenizerState::plaintext;
    if (name == "RCDATA state") return TokenizerState::rcdata;
    if (name == "RAWTEXT state") return TokenizerState::rawtext;
    if (name == "Script data state") return TokenizerState::script_data;
    if (name == "CDATA section state") return TokenizerState::cdata;
    return TokenizerState::data;
}

json::value read_json(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    return json::parse(bytes);
}

// The suite is older than processing instructions in HTML: it wants a comment for each of these.
const std::set<std::string> known_misses = {"<?",  "<?A", "<?B", "<?Y",          "<?Z",     "<?a",
                                            "<?b", "<?y", "<?z", "<?namespace>", "<?foo-->"};

struct Score {
    std::size_t cases = 0;
    std::set<std::string> missed{};
};

void run_case(const SuiteCase& one, Score& score) {
    for (const std::string& state : one.states()) {
        ++score.cases;
        const std::string end_tag = one.last_start_tag();
        const auto sections = state == "CDATA section state" ? CdataSections::on : CdataSections::off;
        const auto got = TokenLog(one.input()).run(state_named(state), end_tag, sections);
        if (got == one.expected()) continue;
        score.missed.insert(one.input());
        if (!known_misses.contains(one.input()))
            CHECK_MESSAGE(got == one.expected(), state << ": " << one.input());
    }
}

}  // namespace

TEST_CASE("pages become the tokens of the html5lib suite") {
    const std::filesystem::path folder = QUARRY_SUITES "/suites/html5lib-tests/tokenizer";
    if (!std::filesystem::exists(folder)) {
        MESSAGE("skipped: no tokenizer suite at " << folder.string());
        return;
    }
    Score score;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".test") continue;
        const json::value file = read_json(entry.path());
        if (!file.as_object().contains("tests")) continue;  // xmlViolation.test: for parsers that make XML
        for (const json::value& test : file.at("tests").as_array())
            run_case(SuiteCase(test.as_object()), score);
    }

    CHECK(score.cases >= 7032);
    CHECK(score.missed == known_misses);
}
