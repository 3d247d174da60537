#include "model/json/readable.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace quarry {

namespace {

namespace json = boost::json;

bool has_fractions(const json::value& value) {
    if (const json::object* object = value.if_object())
        return std::ranges::any_of(*object, [](const auto& member) { return has_fractions(member.value()); });
    if (const json::array* array = value.if_array()) return std::ranges::any_of(*array, has_fractions);
    return value.is_double();
}

class Writer {
public:
    explicit Writer(Layout layout) : layout_(layout) {}

    std::string run(const json::value& value) {
        write(value);
        return std::move(text_);
    }

private:
    void write(const json::value& value) {
        if (const json::object* object = value.if_object()) {
            open('{');
            for (const auto& member : *object) {
                next();
                text_ += json::serialize(json::string(member.key()));
                text_ += layout_ == Layout::indented ? ": " : ":";
                write(member.value());
            }
            close('}', object->empty());
        } else if (const json::array* array = value.if_array()) {
            open('[');
            for (const json::value& item : *array) {
                next();
                write(item);
            }
            close(']', array->empty());
        } else if (const double* number = value.if_double()) {
            text_ += fmt::format("{}", *number);
        } else {
            text_ += json::serialize(value);
        }
    }

    void open(char mark) {
        text_ += mark;
        ++depth_;
        is_first_ = true;
    }

    void next() {
        if (!is_first_) text_ += ',';
        is_first_ = false;
        indent();
    }

    void close(char mark, bool is_empty) {
        --depth_;
        if (!is_empty) indent();
        text_ += mark;
        is_first_ = false;
    }

    void indent() {
        if (layout_ == Layout::one_line) return;
        text_ += '\n';
        text_.append(2 * depth_, ' ');
    }

    Layout layout_;
    std::string text_;
    std::size_t depth_ = 0;
    bool is_first_ = true;
};

}  // namespace

std::string readable_json(const json::value& value, Layout layout) {
    // The library is faster, and wrong only about these.
    if (layout == Layout::one_line && !has_fractions(value)) return json::serialize(value);
    return Writer(layout).run(value);
}

}  // namespace quarry
