#include "extract/link_header.h"

#include <algorithm>

#include "extract/ascii.h"

namespace quarry::extract {

namespace {

// Up to the next `end` outside of quotes; the text keeps what follows it.
std::string_view take_until(std::string_view& text, char end) {
    bool in_quotes = false;
    std::size_t at = 0;
    for (; at < text.size() && (in_quotes || text[at] != end); ++at) {
        if (text[at] == '"') in_quotes = !in_quotes;
        if (text[at] == '\\' && in_quotes) ++at;
    }
    at = std::min(at, text.size());
    const std::string_view part = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return part;
}

bool has_relation(std::string_view parameters, std::string_view relation) {
    while (!parameters.empty()) {
        std::string_view value = take_until(parameters, ';');
        const std::string_view name = trimmed(take_until(value, '='));
        if (!same_letters(name, "rel")) continue;
        value = trimmed(value);
        if (value.starts_with('"')) value.remove_prefix(1);
        if (value.ends_with('"')) value.remove_suffix(1);
        return has_word(value, relation);
    }
    return false;
}

std::string_view target_in(std::string_view header, std::string_view relation) {
    while (true) {
        const std::size_t open = header.find('<');
        if (open == std::string_view::npos) return {};
        const std::size_t close = header.find('>', open);
        if (close == std::string_view::npos) return {};
        const std::string_view target = header.substr(open + 1, close - open - 1);
        header.remove_prefix(close + 1);
        if (has_relation(take_until(header, ','), relation)) return target;
    }
}

}  // namespace

std::string link_header_target(const std::vector<Header>& headers, std::string_view relation) {
    for (const Header& header : headers) {
        if (!same_letters(header.name, "link")) continue;
        const std::string_view target = target_in(header.value, relation);
        if (!target.empty()) return std::string(target);
    }
    return {};
}

}  // namespace quarry::extract
