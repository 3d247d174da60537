// Members of JSON objects. What another process or service says is read without trust: nothing here throws,
// whatever the input holds. Records are written and read from one list of fields, each_field(visit, value),
// so that what is written can always be read. Times are ISO 8601, durations are milliseconds, states are
// written by name, and an unknown value is null.
#pragma once

#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "model/ids.h"
#include "model/json/values.h"

namespace quarry {

// The member of that name; null if it is missing, or if the value is not an object.
const boost::json::value* member_in(const boost::json::value& value, std::string_view name);

// "", nothing or null if the member is missing or of another type. A whole number may be written as 2.0.
std::string text_in(const boost::json::value& value, std::string_view name);
std::string text_in(const boost::json::object& object, std::string_view name);
std::optional<std::int64_t> number_in(const boost::json::value& value, std::string_view name);
std::optional<std::int64_t> number_in(const boost::json::object& object, std::string_view name);
std::optional<bool> flag_in(const boost::json::value& value, std::string_view name);
const boost::json::array* list_in(const boost::json::value& value, std::string_view name);

// The same for a member that an answer must have. Without it, `corrupt` with a sentence that names it.
Result<std::int64_t> answered_number(const boost::json::value& answer, std::string_view name);
Result<bool> answered_flag(const boost::json::value& answer, std::string_view name);
Result<boost::json::object> answered_object(const boost::json::value& answer);

// Records as JSON, both ways from one list of fields, so that what is written can always be read:
//
//   template <typename Visit, typename Type>
//   void each_field(Visit& visit, Type& page) {
//       visit("url", page.url);
//       visit("fetched_at", page.fetched_at);
//   }
//
// Times are ISO 8601, times that something took are milliseconds, states go by their names. What is not known
// is null.

// "00000000000000ff"
std::string hex_of(std::uint64_t number);
std::optional<std::uint64_t> parse_hex(std::string_view text);

template <typename Type>
concept IdType = std::is_enum_v<Type> && std::same_as<std::underlying_type_t<Type>, std::int64_t>;

class FieldWriter {
public:
    template <typename Type>
    void operator()(std::string_view name, const Type& value) {
        object_[name] = json_of(value);
    }
    // A value that follows from other fields. It is written for readers of the JSON; FieldReader ignores it.
    template <typename Type>
    void derived(std::string_view name, const Type& value) {
        object_[name] = json_of(value);
    }
    void hex(std::string_view name, std::uint64_t number) { object_[name] = hex_of(number); }
    void code(std::string_view name, std::optional<ErrorCode> code) {
        object_[name] = code ? boost::json::value(error_name(*code)) : boost::json::value(nullptr);
    }
    // A text that is itself JSON is written as the value that it holds.
    void json(std::string_view name, const std::string& text);
    template <typename Each>
    void object(std::string_view name, Each each) {
        FieldWriter nested;
        each(nested);
        object_[name] = std::move(nested).take();
    }

    boost::json::object take() && { return std::move(object_); }

private:
    static boost::json::value json_of(const std::string& text) { return boost::json::value(text); }
    static boost::json::value json_of(bool value) { return value; }
    static boost::json::value json_of(Timestamp time) { return boost::json::value(iso_time(time)); }
    static boost::json::value json_of(std::chrono::milliseconds time) { return time.count(); }
    static boost::json::value json_of(std::chrono::microseconds time) {
        return static_cast<double>(time.count()) / 1'000;
    }
    template <std::integral Number>
        requires(!std::same_as<Number, bool>)
    static boost::json::value json_of(Number value) {
        return static_cast<std::int64_t>(value);
    }
    template <typename Type>
        requires std::is_enum_v<Type>
    static boost::json::value json_of(Type value) {
        if constexpr (IdType<Type>) return number(value);
        if constexpr (!IdType<Type>) return boost::json::value(name_of(value));
    }
    template <typename Type>
    static boost::json::value json_of(const std::optional<Type>& value) {
        return value ? json_of(*value) : boost::json::value(nullptr);
    }
    static boost::json::value json_of(const std::vector<std::string>& texts) {
        return boost::json::array(texts.begin(), texts.end());
    }

    boost::json::object object_;
};

// A member that is missing or null leaves its field as it is. A member of another type is remembered as
// wrong.
class FieldReader {
public:
    explicit FieldReader(const boost::json::object& object) : object_(object) {}

    template <typename Type>
    void operator()(std::string_view name, Type& target) {
        const boost::json::value* value = find(name);
        if (value && !read(*value, target)) note(name);
    }
    template <typename Type>
    void derived(std::string_view, const Type&) {}
    void hex(std::string_view name, std::uint64_t& target);
    void code(std::string_view name, std::optional<ErrorCode>& target);
    void json(std::string_view name, std::string& target);
    template <typename Each>
    void object(std::string_view name, Each each) {
        const boost::json::value* value = find(name);
        if (!value) return;
        if (!value->is_object()) return note(name);
        FieldReader nested(value->get_object());
        each(nested);
        if (!nested.wrong_.empty()) note(nested.wrong_);
    }

    // `corrupt` if a field was not what it should be.
    Result<void> finish(std::string_view what) const;

private:
    const boost::json::value* find(std::string_view name) const {
        const boost::json::value* value = object_.if_contains(name);
        return value && !value->is_null() ? value : nullptr;
    }
    void note(std::string_view name) {
        if (wrong_.empty()) wrong_ = name;
    }

    static bool read(const boost::json::value& value, std::string& target);
    static bool read(const boost::json::value& value, bool& target);
    static bool read(const boost::json::value& value, Timestamp& target);
    static bool read(const boost::json::value& value, std::vector<std::string>& target);
    static bool read(const boost::json::value& value, std::chrono::milliseconds& target);
    static bool read(const boost::json::value& value, std::chrono::microseconds& target);
    template <std::integral Number>
        requires(!std::same_as<Number, bool>)
    static bool read(const boost::json::value& value, Number& target) {
        boost::system::error_code error;
        const auto number = value.is_number() ? value.to_number<Number>(error) : Number{};
        if (!value.is_number() || error) return false;
        target = number;
        return true;
    }
    template <typename Type>
        requires std::is_enum_v<Type>
    static bool read(const boost::json::value& value, Type& target) {
        if constexpr (IdType<Type>) {
            std::int64_t number = 0;
            if (!read(value, number)) return false;
            target = Type{number};
            return true;
        } else {
            return value.is_string() && read_name(std::string_view(value.get_string()), target);
        }
    }
    template <typename Type>
    static bool read(const boost::json::value& value, std::optional<Type>& target) {
        Type known{};
        if (!read(value, known)) return false;
        target = std::move(known);
        return true;
    }

    const boost::json::object& object_;
    std::string wrong_;
};

// The record that a list of fields makes.
template <typename Each>
boost::json::object write_fields(Each each) {
    FieldWriter writer;
    each(writer);
    return std::move(writer).take();
}

// What a record says by a list of fields; `what` names it in the sentence of an error.
template <typename Type, typename Each>
Result<Type> read_fields(const boost::json::value& record, std::string_view what, Each each) {
    if (!record.is_object()) return fail(ErrorCode::corrupt, std::string(what) + " has to be a JSON object");
    FieldReader reader(record.get_object());
    Type parsed;
    each(reader, parsed);
    TRY(reader.finish(what));
    return parsed;
}

}  // namespace quarry
