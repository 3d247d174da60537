#include "app/owner/protocol.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cstdint>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "model/json/fields.h"
#include "model/json/values.h"
#include "store/records.h"

namespace quarry::app {

namespace {

constexpr std::size_t head_bytes = 4;

std::size_t length_at(std::string_view head) {
    std::uint32_t length = 0;
    for (std::size_t i = 0; i < head_bytes; ++i) length = length << 8 | static_cast<unsigned char>(head[i]);
    return length;
}

}  // namespace

std::string frame(std::string_view message) {
    assert(message.size() <= longest_frame);  // The caller bounds each message.
    std::string bytes;
    bytes.reserve(head_bytes + message.size());
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(message.size() >> shift & 0xff);
    bytes += message;
    return bytes;
}

Result<std::optional<std::string>> FrameReader::next() {
    const std::string_view rest = std::string_view(buffer_).substr(start_);
    if (rest.size() < head_bytes) return std::nullopt;
    const std::size_t length = length_at(rest);
    if (length > longest_frame)
        return fail(ErrorCode::too_large, fmt::format("a message of {} bytes is too long", length));
    if (rest.size() < head_bytes + length) return std::nullopt;
    std::string message(rest.substr(head_bytes, length));
    start_ += head_bytes + length;
    // Moving the rest to the front costs its length, so it moves only once at least as much has been read.
    if (start_ >= buffer_.size() - start_) {
        buffer_.erase(0, start_);
        start_ = 0;
    }
    return message;
}

namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 3> roles = {"background", "foreground", "command"};
// The enumerator with this name; nothing if the list has no such name.
template <typename Enum, std::size_t n>
std::optional<Enum> find_name(const std::array<std::string_view, n>& names, std::string_view name) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    return static_cast<Enum>(found - names.begin());
}

// The number a version begins with, and the rest after its dot.
std::int64_t take_part(std::string_view& version) {
    std::int64_t part = 0;
    const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), part);
    version.remove_prefix(static_cast<std::size_t>(end - version.data()));
    const auto dot = version.find('.');
    version.remove_prefix(dot == std::string_view::npos ? version.size() : dot + 1);
    return error == std::errc() ? part : 0;
}

}  // namespace

std::string_view name_of(OwnerRole role) {
    return roles.at(static_cast<std::size_t>(role));
}

Result<json::object> parse_message(std::string_view text) {
    // A request to the server may be nested 64 levels deep, and lies a few levels deeper in a message. Every
    // thread's stack has room for that.
    json::parse_options options;
    options.max_depth = 96;
    boost::system::error_code error;
    json::value message = json::parse(text, error, {}, options);
    if (error || !message.is_object()) return fail(ErrorCode::corrupt, "the worker's answer cannot be read");
    return std::move(message.get_object());
}

json::object to_json(const Greeting& greeting) {
    return {{"protocol", greeting.protocol},
            {"version", greeting.version},
            {"role", name_of(greeting.role)},
            {"pid", greeting.process}};
}

Result<Greeting> parse_greeting(const json::value& message) {
    const json::object* object = message.if_object();
    const auto protocol = object ? number_in(*object, "protocol") : std::nullopt;
    if (!protocol || *protocol < 1 || *protocol > 1'000'000)
        return fail(ErrorCode::corrupt, "the other side does not greet as quarry does");
    return Greeting{
        .protocol = static_cast<int>(*protocol),
        .version = text_in(*object, "version"),
        .role = find_name<OwnerRole>(roles, text_in(*object, "role")).value_or(OwnerRole::command),
        .process = number_in(*object, "pid").value_or(0)};
}

int compare_versions(std::string_view a, std::string_view b) {
    while (!a.empty() || !b.empty()) {
        const std::int64_t part_a = take_part(a), part_b = take_part(b);
        if (part_a != part_b) return part_a < part_b ? -1 : 1;
    }
    return 0;
}

json::object to_json(const Error& error) {
    return {{"code", error_name(error.code)}, {"message", error.message}};
}

Error parse_error(const json::value& error) {
    const json::object* object = error.if_object();
    if (!object) return {ErrorCode::corrupt, "the worker's answer cannot be read"};
    ErrorCode code = ErrorCode::unavailable;
    read_error_name(text_in(*object, "code"), code);
    return {code, text_in(*object, "message")};
}

json::object to_json(const store::Event& event) {
    json::object object{{"event", store::name_of(event.what)}, {"id", number(event.id)}};
    if (event.group) object["group"] = number(*event.group);
    if (!event.url.empty()) object["url"] = event.url;
    if (event.status != 0) object["status"] = event.status;
    object["state"] = name_of(event.state);
    return object;
}

std::optional<store::Event> parse_event(const json::object& message) {
    store::Event::What what{};
    if (!store::read_name(text_in(message, "event"), what)) return std::nullopt;
    store::Event event{.what = what,
                       .id = JobId{number_in(message, "id").value_or(0)},
                       .url = text_in(message, "url"),
                       .status = static_cast<int>(number_in(message, "status").value_or(0)),
                       .state = parse_job_state(text_in(message, "state")).value_or(JobState::queued)};
    if (const auto group = number_in(message, "group")) event.group = GroupId{*group};
    return event;
}

}  // namespace quarry::app
