#include "extract/json_text.h"

#include <algorithm>

#include <boost/json.hpp>

namespace quarry::extract {

namespace {

// Indentation makes text longer: by at most twice the depth for each member.
constexpr std::size_t max_pretty_bytes = std::size_t{256} * 1024;

bool is_valid_json(std::string_view text) {
    boost::json::stream_parser parser;  // its default depth limit is 32
    boost::system::error_code error;
    parser.write(text.data(), text.size(), error);
    if (!error) parser.finish(error);
    return !error;
}

// Copies the string that starts here, quotes included; returns what follows it.
std::string_view copy_string(std::string_view text, std::string& out) {
    std::size_t end = 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    end = std::min(end + 1, text.size());
    out += text.substr(0, end);
    return text.substr(end);
}

class Indenter {
public:
    // Expects valid JSON.
    std::string run(std::string_view text) {
        while (!text.empty()) {
            if (text[0] == '"') {
                open_pending();
                text = copy_string(text, out_);
                continue;
            }
            add(text[0]);
            text.remove_prefix(1);
        }
        return std::move(out_);
    }

private:
    void add(char letter) {
        switch (letter) {
            case ' ':
            case '\t':
            case '\n':
            case '\r': break;
            case '{':
            case '[':
                open_pending();
                out_ += letter;
                just_opened_ = true;
                ++depth_;
                break;
            case '}':
            case ']':
                --depth_;
                if (!just_opened_) new_line();  // {} and [] stay together
                just_opened_ = false;
                out_ += letter;
                break;
            case ',':
                out_ += letter;
                new_line();
                break;
            case ':': out_ += ": "; break;
            default: open_pending(); out_ += letter;
        }
    }

    void open_pending() {
        if (just_opened_) new_line();
        just_opened_ = false;
    }

    void new_line() {
        out_ += '\n';
        out_.append(2 * depth_, ' ');
    }

    std::string out_;
    std::size_t depth_ = 0;
    bool just_opened_ = false;
};

}  // namespace

std::string pretty_json(std::string_view text) {
    if (text.size() > max_pretty_bytes || !is_valid_json(text)) return std::string(text);
    return Indenter().run(text);
}

std::string fenced(std::string_view text, std::string_view language) {
    std::size_t longest_run = 2;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && text[end] == '`') ++end;
        longest_run = std::max(longest_run, end - at);
        at = end + 1;
    }
    const std::string fence(longest_run + 1, '`');
    std::string block = fence;
    block += language;
    block += '\n';
    block += text;
    if (!text.ends_with('\n')) block += '\n';
    return block + fence + "\n";
}

}  // namespace quarry::extract
