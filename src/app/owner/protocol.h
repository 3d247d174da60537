// What a command and the owner of a data folder say to each other. Every message is a JSON object in a
// frame: its length in four bytes, the highest first, and then so many bytes.
//
//   command                                      owner
//   {"protocol":1,"version":"0.1.0"}         ->
//                                            <-  {"protocol":1,"version":"0.1.0","role":"background","pid":7}
//   {"id":1,"method":"pause","params":{…}}   ->
//                                            <-  {"id":1,"result":{…}} or {"id":1,"error":{"code","message"}}
//                                            <-  {"event":"page",…} after the method `follow`
//
// Frames, greetings and the method `handover` stay as they are in every version: by them an older owner and
// a newer command agree who goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "model/ids.h"
#include "store/store.h"

namespace quarry::app {

// Messages on a stream of bytes: each is its length in four bytes, the highest first, and then so many bytes.

inline constexpr std::size_t longest_frame = 16u << 20;

// `message` must not be longer than longest_frame.
std::string frame(std::string_view message);

// Takes bytes as they come and gives messages as they are complete. What it holds is bounded by the longest
// frame and what is added at once.
class FrameReader {
public:
    void add(std::string_view bytes) { buffer_ += bytes; }

    // Nothing if the next message is not complete yet. Fails with `too_large` if it says to be longer than
    // allowed, and from then on always.
    Result<std::optional<std::string>> next();

    // True in the middle of a message: a stream that ends here was cut.
    bool has_rest() const { return start_ < buffer_.size(); }

private:
    std::string buffer_;
    std::size_t start_ = 0;
};

// What a command and the owner of a data folder say to each other. Every message is a JSON object in a frame.
//
//   command                                      owner
//   {"protocol":1,"version":"0.1.0"}         ->
//                                            <-  {"protocol":1,"version":"0.1.0","role":"background","pid":7}
//   {"id":1,"method":"pause","params":{…}}   ->
//                                            <-  {"id":1,"result":{…}} or {"id":1,"error":{"code","message"}}
//                                            <-  {"event":"page",…} after the method `follow`
//
// Frames, greetings and the method `handover` stay as they are in every version: by them an older owner and
// a newer command agree who goes on.

inline constexpr int protocol_version = 1;

enum class OwnerRole : std::uint8_t {
    background,  // started by a command; hands over to a newer one
    foreground,  // `worker` at a terminal or under systemd
    command,     // a command that works while it waits, such as `crawl --wait`
};
std::string_view name_of(OwnerRole role);

struct Greeting {
    int protocol = protocol_version;
    std::string version{};
    OwnerRole role = OwnerRole::command;
    std::int64_t process = 0;
};
// What a frame holds. `corrupt` if it is no object.
Result<boost::json::object> parse_message(std::string_view text);

boost::json::object to_json(const Greeting& greeting);
Result<Greeting> parse_greeting(const boost::json::value& message);

// Below, at or above 0 as `a` is older than, as old as or newer than `b`: "0.9.1" is older than "0.10".
int compare_versions(std::string_view a, std::string_view b);

boost::json::object to_json(const Error& error);
Error parse_error(const boost::json::value& error);

// {"event":"page","group":7,"url":…,"status":200}; `group` is the number, not the public id.
boost::json::object to_json(const store::Event& event);
std::optional<store::Event> parse_event(const boost::json::object& message);

}  // namespace quarry::app
