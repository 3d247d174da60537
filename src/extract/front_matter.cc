#include "extract/front_matter.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/ascii.h"
#include "extract/one_line.h"

namespace quarry::extract {

namespace {

constexpr std::size_t max_block_bytes = std::size_t{64} * 1024;
constexpr std::size_t max_fields = 100;
constexpr std::size_t max_value_bytes = 2'000;

std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

std::string_view without_trailing_blanks(std::string_view line) {
    while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
    return line;
}

struct Block {
    std::string_view lines;
    std::string_view body;
    char separator;  // between a name and its value
};

std::optional<Block> find_block(std::string_view text) {
    std::string_view rest = text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
    const std::string_view fence = without_trailing_blanks(take_line(rest));
    if (fence != "---" && fence != "+++") return std::nullopt;
    const std::string_view start = rest;
    while (!rest.empty() && start.size() - rest.size() < max_block_bytes) {
        const std::string_view before = rest;
        const std::string_view line = without_trailing_blanks(take_line(rest));
        if (line == fence || (fence == "---" && line == "...")) {
            return Block{start.substr(0, start.size() - before.size()), rest, fence == "---" ? ':' : '='};
        }
    }
    return std::nullopt;
}

// The inside of a quoted string, with the escapes that matter in titles; or the text up to a comment.
std::string scalar(std::string_view text) {
    text = trimmed(text);
    if (text.size() >= 2 && (text[0] == '"' || text[0] == '\'')) {
        const char quote = text[0];
        std::string value;
        for (std::size_t i = 1; i < text.size() && text[i] != quote; ++i) {
            if (quote == '"' && text[i] == '\\' && i + 1 < text.size()) ++i;
            value += text[i];
        }
        return one_line(value, max_value_bytes);
    }
    if (const std::size_t comment = text.find(" #"); comment != std::string_view::npos) {
        text = text.substr(0, comment);
    }
    return one_line(text, max_value_bytes);
}

// "[a, 'b, c']" as "a, b, c".
std::string inline_list(std::string_view text) {
    text.remove_prefix(1);
    if (text.ends_with(']')) text.remove_suffix(1);
    std::string joined;
    while (!text.empty() && joined.size() < max_value_bytes) {
        text = trimmed(text);
        std::size_t end = 0;
        char quote = 0;
        for (; end < text.size() && (quote != 0 || text[end] != ','); ++end) {
            if (quote == 0 && end == 0 && (text[end] == '"' || text[end] == '\'')) {
                quote = text[end];
            } else if (text[end] == quote) {
                quote = 0;
            }
        }
        const std::string item = scalar(text.substr(0, end));
        if (!item.empty()) joined += (joined.empty() ? "" : ", ") + item;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return joined;
}

std::string value_of(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('[')) return inline_list(text);
    if (text.starts_with('|') || text.starts_with('>')) return {};  // a block of lines follows
    return scalar(text);
}

class FieldReader {
public:
    explicit FieldReader(char separator) : separator_(separator) {}

    void read(std::string_view line) {
        const std::string_view content = trimmed(line);
        if (content.empty() || content.starts_with('#')) return;
        const bool is_indented = line[0] == ' ' || line[0] == '\t';
        if (content.starts_with("- ") && separator_ == ':') {
            add_to_current(value_of(content.substr(2)), ", ");
        } else if (content.starts_with('[') && separator_ == '=') {
            parent_ = name_of(content.substr(1, std::min(content.find(']'), content.size()) - 1));
        } else {
            read_field(content, is_indented);
        }
    }

    std::vector<NamedValue> take() {
        std::erase_if(fields_, [](const NamedValue& field) { return field.second.empty(); });
        return std::move(fields_);
    }

private:
    static std::string name_of(std::string_view text) { return lower_case(scalar(text)); }

    void read_field(std::string_view content, bool is_indented) {
        const std::size_t separator = content.find(separator_);
        const std::string name = name_of(content.substr(0, std::min(separator, content.size())));
        const bool is_field = separator != std::string_view::npos && !name.empty() && name.size() <= 64 &&
                              name.find(' ') == std::string::npos;
        if (!is_field) {
            // A folded line of the value above it.
            if (is_indented) add_to_current(one_line(content, max_value_bytes), " ");
            return;
        }
        if (fields_.size() >= max_fields) return;
        if (separator_ == ':' && !is_indented) parent_.clear();
        std::string value = value_of(content.substr(separator + 1));
        const bool starts_map = value.empty() && separator_ == ':' && !is_indented;
        fields_.emplace_back(parent_.empty() ? name : parent_ + "." + name, std::move(value));
        if (starts_map) parent_ = name;
    }

    void add_to_current(const std::string& value, std::string_view joint) {
        if (fields_.empty() || fields_.back().second.size() + value.size() > max_value_bytes) return;
        std::string& current = fields_.back().second;
        if (!current.empty()) current += joint;
        current += value;
    }

    char separator_;
    std::string parent_;
    std::vector<NamedValue> fields_;
};

}  // namespace

FrontMatter read_front_matter(std::string_view text) {
    const auto block = find_block(text);
    if (!block) return {.body = text};
    FieldReader reader(block->separator);
    std::string_view lines = block->lines;
    while (!lines.empty()) {
        if (const std::string_view line = take_line(lines); !line.empty()) reader.read(line);
    }
    return {.fields = reader.take(), .body = block->body};
}

}  // namespace quarry::extract
