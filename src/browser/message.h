// Messages of the DevTools protocol as values. They come from a process in which hostile pages run: nothing
// about them is trusted, not even that they are JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "base/result.h"

namespace quarry::browser {

// Either the answer to a command, which then has an id, or an event, which has a method.
struct Message {
    std::optional<std::int64_t> id{};
    std::string method{};
    std::string session{};          // "" for the browser itself
    boost::json::object content{};  // `result` or `params`
    std::optional<Error> error{};   // what the browser said instead of a result
};

// Fails with `corrupt` if it is neither, or is nested more deeply than any message of the protocol.
Result<Message> parse_message(std::string_view text);

// Which command a message answers that is too long to be read: its beginning says it.
std::optional<std::int64_t> id_of_beginning(std::string_view beginning);

// Fields of messages, whatever they are: "", 0, false or an empty object if they are not there or of another
// type.
std::string_view text_at(const boost::json::object& object, std::string_view key);
double number_at(const boost::json::object& object, std::string_view key);
bool flag_at(const boost::json::object& object, std::string_view key);
const boost::json::object& object_at(const boost::json::object& object, std::string_view key);

}  // namespace quarry::browser
