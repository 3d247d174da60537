#include "html/encoding/encoding_prescan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "html/characters.h"

namespace quarry::html {
namespace {

std::size_t find_ignoring_case(std::string_view text, std::string_view lower_case_word) {
    const auto found = std::search(text.begin(), text.end(), lower_case_word.begin(), lower_case_word.end(),
                                   [](char c, char expected) { return to_lower(c) == expected; });
    return found == text.end() ? std::string_view::npos : static_cast<std::size_t>(found - text.begin());
}

std::optional<Encoding> declared_in_ascii(std::optional<Encoding> encoding) {
    if (encoding == Encoding::utf_16be || encoding == Encoding::utf_16le) return Encoding::utf_8;
    if (encoding == Encoding::x_user_defined) return Encoding::windows_1252;
    return encoding;
}

struct RawAttribute {
    std::string name;  // both in lower case
    std::string value;
};

// Walks over tags and comments without building anything. Every reading function stops for good at the end
// of the bytes: a declaration that was cut off does not count.
class Prescan {
public:
    explicit Prescan(std::string_view bytes) : bytes_(bytes) {}

    std::optional<Encoding> run() {
        while ((position_ = bytes_.find('<', position_)) != std::string_view::npos) {
            const std::string_view rest = bytes_.substr(position_);
            if (rest.starts_with("<!--")) {
                skip_past("-->", position_ + 2);
            } else if (is_meta(rest)) {
                position_ += std::string_view("<meta").size();
                if (const auto encoding = read_meta()) return encoding;
            } else if (is_tag(rest)) {
                skip_tag();
            } else if (rest.starts_with("<!") || rest.starts_with("</") || rest.starts_with("<?")) {
                skip_past(">", position_ + 1);
            } else {
                ++position_;
            }
        }
        return std::nullopt;
    }

private:
    static bool is_meta(std::string_view rest) {
        return starts_with_ignoring_case(rest, "<meta") && rest.size() > 5 &&
               (is_space(rest[5]) || rest[5] == '/');
    }
    static bool is_tag(std::string_view rest) {
        const std::size_t name = rest.size() > 1 && rest[1] == '/' ? 2 : 1;
        return rest.size() > name && is_alpha(rest[name]);
    }

    bool at_end() const { return position_ >= bytes_.size(); }
    char here() const { return bytes_[position_]; }

    void skip_past(std::string_view marker, std::size_t from) {
        const std::size_t found = bytes_.find(marker, from);
        position_ = found == std::string_view::npos ? bytes_.size() : found + marker.size();
    }

    void skip_tag() {
        while (!at_end() && !is_space(here()) && here() != '>') ++position_;
        while (next_attribute()) {
        }
    }

    std::optional<Encoding> read_meta();
    std::optional<RawAttribute> next_attribute();
    std::string read_value();
    std::string read_quoted_value();

    std::string_view bytes_;
    std::size_t position_ = 0;
};

std::optional<Encoding> Prescan::read_meta() {
    enum class NeedPragma { unknown, no, yes } need_pragma = NeedPragma::unknown;
    bool got_pragma = false, seen_pragma = false, seen_content = false, seen_charset = false;
    std::optional<Encoding> encoding;
    while (const auto attribute = next_attribute()) {
        // The first attribute of a name counts; a later one is ignored.
        if (attribute->name == "http-equiv" && !std::exchange(seen_pragma, true)) {
            got_pragma = attribute->value == "content-type";
        } else if (attribute->name == "content" && !std::exchange(seen_content, true)) {
            const auto found = encoding_from_meta_content(attribute->value);
            if (found && need_pragma == NeedPragma::unknown) {
                encoding = found;
                need_pragma = NeedPragma::yes;
            }
        } else if (attribute->name == "charset" && !std::exchange(seen_charset, true)) {
            encoding = find_encoding(attribute->value);
            need_pragma = NeedPragma::no;
        }
    }
    if (at_end() || need_pragma == NeedPragma::unknown) return std::nullopt;
    if (need_pragma == NeedPragma::yes && !got_pragma) return std::nullopt;
    return declared_in_ascii(encoding);
}

// The standard's "get an attribute". Nothing at the end of the tag (position on '>') or of the bytes.
std::optional<RawAttribute> Prescan::next_attribute() {
    while (!at_end() && (is_space(here()) || here() == '/')) ++position_;
    if (at_end() || here() == '>') return std::nullopt;
    RawAttribute attribute;
    while (!at_end() && !(here() == '=' && !attribute.name.empty()) && !is_space(here()) && here() != '/' &&
           here() != '>') {
        attribute.name += to_lower(here());
        ++position_;
    }
    while (!at_end() && is_space(here())) ++position_;
    if (at_end()) return std::nullopt;
    if (here() != '=') return attribute;
    ++position_;
    attribute.value = read_value();
    if (at_end()) return std::nullopt;
    return attribute;
}

std::string Prescan::read_value() {
    while (!at_end() && is_space(here())) ++position_;
    if (at_end()) return {};
    if (here() == '"' || here() == '\'') return read_quoted_value();
    std::string value;
    while (!at_end() && !is_space(here()) && here() != '>') {
        value += to_lower(here());
        ++position_;
    }
    return value;
}

std::string Prescan::read_quoted_value() {
    const char quote = here();
    ++position_;
    std::string value;
    while (!at_end() && here() != quote) {
        value += to_lower(here());
        ++position_;
    }
    if (!at_end()) ++position_;
    return value;
}

// The standard's "get an XML encoding": what XHTML served as HTML, and feeds, begin with.
std::optional<Encoding> encoding_from_xml_declaration(std::string_view bytes) {
    if (!bytes.starts_with("<?xml")) return std::nullopt;
    const std::size_t end = bytes.find('>');
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view rest = bytes.substr(0, end);
    const std::size_t word = rest.find("encoding");
    if (word == std::string_view::npos) return std::nullopt;
    const auto skip_controls = [&rest] {
        while (!rest.empty() && static_cast<unsigned char>(rest.front()) <= ' ') rest.remove_prefix(1);
    };
    rest.remove_prefix(word + std::string_view("encoding").size());
    skip_controls();
    if (!rest.starts_with('=')) return std::nullopt;
    rest.remove_prefix(1);
    skip_controls();
    if (!rest.starts_with('"') && !rest.starts_with('\'')) return std::nullopt;
    const std::size_t quote = rest.find(rest.front(), 1);
    if (quote == std::string_view::npos) return std::nullopt;
    return declared_in_ascii(find_encoding(rest.substr(1, quote - 1)));
}

}  // namespace

std::optional<Encoding> encoding_from_meta_content(std::string_view content) {
    for (std::size_t word; (word = find_ignoring_case(content, "charset")) != std::string_view::npos;) {
        content.remove_prefix(word + std::string_view("charset").size());
        const std::string_view after = content.substr(leading_space(content));
        if (!after.starts_with('=')) continue;
        const std::string_view value = after.substr(1 + leading_space(after.substr(1)));
        if (value.starts_with('"') || value.starts_with('\'')) {
            const std::size_t close = value.find(value.front(), 1);
            if (close == std::string_view::npos) return std::nullopt;
            return find_encoding(value.substr(1, close - 1));
        }
        return find_encoding(value.substr(0, value.find_first_of("; \t\n\f\r")));
    }
    return std::nullopt;
}

std::optional<Encoding> prescan_encoding(std::string_view bytes) {
    using namespace std::string_view_literals;
    if (bytes.starts_with("<\0?\0x\0"sv)) return Encoding::utf_16le;
    if (bytes.starts_with("\0<\0?\0x"sv)) return Encoding::utf_16be;
    if (const auto encoding = Prescan(bytes).run()) return encoding;
    return encoding_from_xml_declaration(bytes);
}

}  // namespace quarry::html
