#include "extract/html_escape.h"

namespace quarry::extract {

namespace {

std::string_view escape(char letter) {
    switch (letter) {
        case '&': return "&amp;";
        case '<': return "&lt;";
        case '>': return "&gt;";
        case '"': return "&quot;";
        case '\r': return "&#13;";  // a bare one would be read as a newline
        default: return {};
    }
}

void append_escaped(std::string& html, std::string_view text, std::string_view special) {
    while (true) {
        const std::size_t at = text.find_first_of(special);
        html += text.substr(0, at);
        if (at == std::string_view::npos) return;
        html += escape(text[at]);
        text.remove_prefix(at + 1);
    }
}

}  // namespace

void append_text(std::string& html, std::string_view text) {
    append_escaped(html, text, "&<>\r");
}

void append_attribute_value(std::string& html, std::string_view value) {
    append_escaped(html, value, "&<>\"\r");
}

}  // namespace quarry::extract
