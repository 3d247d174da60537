#include "model/json/fields.h"

#include <charconv>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace quarry {
namespace {

namespace json = boost::json;

// Longer than any life, short enough to calculate with.
constexpr double longest_milliseconds = 1e15;

}  // namespace

std::string hex_of(std::uint64_t number) {
    return fmt::format("{:016x}", number);
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    if (text.size() != 16 || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

void FieldWriter::json(std::string_view name, const std::string& text) {
    boost::system::error_code error;
    json::value parsed = json::parse(text, error);
    const bool stands_for_itself = !error && (parsed.is_object() || parsed.is_array());
    object_[name] = stands_for_itself ? std::move(parsed) : json::value(text);
}

void FieldReader::json(std::string_view name, std::string& target) {
    const json::value* value = find(name);
    if (!value) return;
    target = value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
}

void FieldReader::hex(std::string_view name, std::uint64_t& target) {
    const json::value* value = find(name);
    if (!value) return;
    const auto number = value->is_string() ? parse_hex(std::string_view(value->get_string())) : std::nullopt;
    if (!number) return note(name);
    target = *number;
}

void FieldReader::code(std::string_view name, std::optional<ErrorCode>& target) {
    const json::value* value = find(name);
    if (!value) return;
    ErrorCode code{};
    if (!value->is_string() || !read_error_name(std::string_view(value->get_string()), code))
        return note(name);
    target = code;
}

Result<void> FieldReader::finish(std::string_view what) const {
    if (wrong_.empty()) return {};
    return fail(ErrorCode::corrupt, fmt::format("the \"{}\" of {} cannot be read", wrong_, what));
}

bool FieldReader::read(const json::value& value, std::string& target) {
    if (!value.is_string()) return false;
    target = std::string(value.get_string());
    return true;
}

bool FieldReader::read(const json::value& value, bool& target) {
    if (!value.is_bool()) return false;
    target = value.get_bool();
    return true;
}

bool FieldReader::read(const json::value& value, Timestamp& target) {
    const auto time = value.is_string() ? parse_iso_time(std::string_view(value.get_string())) : std::nullopt;
    if (time) target = *time;
    return time.has_value();
}

bool FieldReader::read(const json::value& value, std::vector<std::string>& target) {
    if (!value.is_array()) return false;
    std::vector<std::string> texts;
    for (const json::value& text : value.get_array()) {
        if (!text.is_string()) return false;
        texts.emplace_back(text.get_string());
    }
    target = std::move(texts);
    return true;
}

bool FieldReader::read(const json::value& value, std::chrono::milliseconds& target) {
    std::int64_t count = 0;
    if (!read(value, count) || std::abs(static_cast<double>(count)) > longest_milliseconds) return false;
    target = std::chrono::milliseconds(count);
    return true;
}

bool FieldReader::read(const json::value& value, std::chrono::microseconds& target) {
    boost::system::error_code error;
    const double count = value.is_number() ? value.to_number<double>(error) : 0;
    if (!value.is_number() || error || !(std::abs(count) <= longest_milliseconds)) return false;
    target = std::chrono::microseconds(std::llround(count * 1'000));
    return true;
}

}  // namespace quarry
