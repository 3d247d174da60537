#include "chat/page_parts.h"

#include <string>
#include <unordered_set>

#include <boost/json.hpp>

#include "schema/json_values.h"

namespace quarry::chat {

namespace {

namespace json = boost::json;

std::size_t good_cut(std::string_view text, std::size_t bytes) {
    if (text.size() <= bytes) return text.size();
    const std::string_view head = text.substr(0, bytes);
    for (const std::string_view mark : {"\n\n", "\n", " "}) {
        const std::size_t found = head.rfind(mark);
        if (found != head.npos && found > bytes / 2) return found + mark.size();
    }
    std::size_t cut = bytes;
    while (cut > 1 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
    return cut;
}

bool is_nothing(const json::value& value) {
    return value.is_null() || (value.is_string() && value.get_string().empty()) ||
           (value.is_array() && value.get_array().empty()) ||
           (value.is_object() && value.get_object().empty());
}

void add_items(json::array& whole, const json::array& part) {
    std::unordered_set<std::string> known;
    for (const json::value& item : whole) known.insert(schema::canonical_text(item));
    for (const json::value& item : part)
        if (known.insert(schema::canonical_text(item)).second) whole.push_back(item);
}

}  // namespace

std::vector<std::string_view> parts_of(std::string_view text, std::size_t bytes, std::size_t most) {
    std::vector<std::string_view> parts;
    while (parts.empty() || (!text.empty() && parts.size() < most)) {
        const std::size_t cut = good_cut(text, bytes);
        parts.push_back(text.substr(0, cut));
        text.remove_prefix(cut);
    }
    return parts;
}

void merge_into(json::value& whole, const json::value& part) {
    if (is_nothing(part)) return;
    if (is_nothing(whole)) {
        whole = part;
    } else if (whole.is_array() && part.is_array()) {
        add_items(whole.get_array(), part.get_array());
    } else if (whole.is_object() && part.is_object()) {
        // A model's JSON is at most 32 levels deep.
        for (const auto& member : part.get_object())
            merge_into(whole.get_object()[member.key()], member.value());
    }
}

}  // namespace quarry::chat
