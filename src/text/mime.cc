#include "text/mime.h"

#include <algorithm>

#include "base/ascii.h"

namespace quarry::text {
namespace {

constexpr std::size_t most_parameters = 64;

constexpr bool is_http_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_token(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_http_token_character);
}

// Tab, printable ASCII and everything above it: what may stand inside a quoted value.
bool is_quotable(std::string_view text) {
    return std::ranges::all_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte == '\t' || (byte >= ' ' && byte != 0x7F);
    });
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    }
    return lower;
}

std::string_view without_leading_space(std::string_view text) {
    while (!text.empty() && is_http_space(text.front())) text.remove_prefix(1);
    return text;
}

std::string_view without_trailing_space(std::string_view text) {
    while (!text.empty() && is_http_space(text.back())) text.remove_suffix(1);
    return text;
}

// Reads over text from its front.
class MimeReader {
public:
    explicit MimeReader(std::string_view text) : rest_(text) {}

    bool at_end() const { return rest_.empty(); }
    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    bool is_at(char c) const { return rest_.starts_with(c); }
    void skip_space() { rest_ = without_leading_space(rest_); }

    // Everything before the first of `ends`.
    std::string_view take_until(std::string_view ends) {
        const std::string_view taken = rest_.substr(0, rest_.find_first_of(ends));
        rest_.remove_prefix(taken.size());
        return taken;
    }

    // The text within quotes, behind the opening one; an end of the text closes it too.
    std::string take_quoted() {
        std::string value;
        while (!at_end()) {
            value += take_until("\"\\");
            if (at_end() || take('"')) break;
            take('\\');
            value += at_end() ? '\\' : rest_.front();
            if (!at_end()) rest_.remove_prefix(1);
        }
        return value;
    }

private:
    std::string_view rest_;
};

bool has_parameter(const MimeType& type, std::string_view name) {
    return std::ranges::any_of(type.parameters, [&](const auto& known) { return known.first == name; });
}

void read_parameter(MimeReader& reader, MimeType& type) {
    reader.skip_space();
    const std::string name = lower_case(reader.take_until(";="));
    if (!reader.take('=')) return;
    std::string value;
    const bool is_quoted = reader.take('"');
    if (is_quoted) {
        value = reader.take_quoted();
        reader.take_until(";");
    } else {
        value = without_trailing_space(reader.take_until(";"));
    }
    const bool is_empty = value.empty() && !is_quoted;
    if (is_empty || !is_token(name) || !is_quotable(value) || has_parameter(type, name)) return;
    type.parameters.emplace_back(name, std::move(value));
}

}  // namespace

std::string_view MimeType::parameter(std::string_view name) const {
    for (const auto& [known, value] : parameters) {
        if (known == name) return value;
    }
    return {};
}

std::optional<MimeType> parse_mime_type(std::string_view text) {
    MimeReader reader(without_trailing_space(without_leading_space(text)));
    const std::string_view type = reader.take_until("/");
    if (!is_token(type) || !reader.take('/')) return std::nullopt;
    const std::string_view subtype = without_trailing_space(reader.take_until(";"));
    if (!is_token(subtype)) return std::nullopt;
    MimeType result{.essence = lower_case(type) + '/' + lower_case(subtype)};
    while (reader.take(';') && result.parameters.size() < most_parameters) read_parameter(reader, result);
    return result;
}

std::string serialize(const MimeType& type) {
    std::string text = type.essence;
    for (const auto& [name, value] : type.parameters) {
        text += ';' + name + '=';
        if (is_token(value)) {
            text += value;
            continue;
        }
        text += '"';
        for (const char c : value) {
            if (c == '"' || c == '\\') text += '\\';
            text += c;
        }
        text += '"';
    }
    return text;
}

}  // namespace quarry::text
