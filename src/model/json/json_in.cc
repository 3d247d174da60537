#include "model/json/json_in.h"

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

}  // namespace quarry
