#include "model/json/fields.h"

#include <charconv>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace quarry {

namespace {

namespace json = boost::json;

std::unexpected<Error> not_answered(std::string_view name) {
    return fail(
        ErrorCode::corrupt,
        fmt::format("the answer has no \"{}\" that can be read: is it quarry of this version?", name));
}

const json::value* member_of(const json::object* object, std::string_view name) {
    return object ? object->if_contains(name) : nullptr;
}

std::string text_of(const json::value* value) {
    const json::string* text = value ? value->if_string() : nullptr;
    return text ? std::string(*text) : std::string();
}

std::optional<std::int64_t> number_of(const json::value* value) {
    if (!value || !value->is_number()) return std::nullopt;
    boost::system::error_code error;
    const auto number = value->to_number<std::int64_t>(error);
    if (error) return std::nullopt;
    return number;
}

}  // namespace

const json::value* member_in(const json::value& value, std::string_view name) {
    return member_of(value.if_object(), name);
}

std::string text_in(const json::value& value, std::string_view name) {
    return text_of(member_in(value, name));
}

std::string text_in(const json::object& object, std::string_view name) {
    return text_of(member_of(&object, name));
}

std::optional<std::int64_t> number_in(const json::value& value, std::string_view name) {
    return number_of(member_in(value, name));
}

std::optional<std::int64_t> number_in(const json::object& object, std::string_view name) {
    return number_of(member_of(&object, name));
}

std::optional<bool> flag_in(const json::value& value, std::string_view name) {
    const json::value* member = member_in(value, name);
    const bool* flag = member ? member->if_bool() : nullptr;
    return flag ? std::optional(*flag) : std::nullopt;
}

const json::array* list_in(const json::value& value, std::string_view name) {
    const json::value* member = member_in(value, name);
    return member ? member->if_array() : nullptr;
}

Result<std::int64_t> answered_number(const json::value& answer, std::string_view name) {
    const auto number = number_in(answer, name);
    if (!number) return not_answered(name);
    return *number;
}

Result<bool> answered_flag(const json::value& answer, std::string_view name) {
    const auto flag = flag_in(answer, name);
    if (!flag) return not_answered(name);
    return *flag;
}

Result<json::object> answered_object(const json::value& answer) {
    if (const json::object* object = answer.if_object()) return *object;
    return fail(ErrorCode::corrupt, "the answer is no JSON object: is it quarry of this version?");
}

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
