// The connection to a browser: commands and their answers, and events. Messages are values; they come from
// a process in which hostile pages run, and nothing about them is trusted, not even that they are JSON. A
// Wire carries them: pipes to a browser that we have started, a WebSocket to one elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

#include <boost/json.hpp>
#include <boost/json/fwd.hpp>
#include <sys/types.h>

#include "base/descriptors.h"
#include "base/guarded.h"
#include "base/result.h"
#include "base/threads.h"

namespace quarry::browser {

// Messages of the DevTools protocol as values. They come from a process in which hostile pages run: nothing
// about them is trusted, not even that they are JSON.

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

// What messages to and from a browser travel on, and what marks where one of them ends: pipes to a browser
// that we have started, a WebSocket to one elsewhere.

class Wire {
public:
    virtual ~Wire() = default;

    // To wait on. Neither reading nor writing blocks; both give what read(2) and write(2) give.
    virtual int reading_end() const = 0;
    virtual int writing_end() const = 0;
    virtual ssize_t read(std::span<char> room) = 0;
    virtual ssize_t write(std::string_view bytes) = 0;

    // Adds the message to what is to be written. Any thread.
    virtual void append(std::string& outgoing, std::string_view message) const = 0;

    struct Part {
        std::string_view text{};
        bool is_end = false;  // of its message
    };
    // The next part of a message in what was read; it is removed from `bytes`. Nothing if there is none left.
    // What the wire itself has to answer is added to `replies`. Fails when nothing more can be read.
    virtual Result<std::optional<Part>> take(std::string_view& bytes, std::string& replies) = 0;

    // The last that is to be written.
    virtual std::string farewell() const = 0;
};

// A NUL byte is behind each message.
std::unique_ptr<Wire> pipe_wire(Descriptor to_browser, Descriptor from_browser);

// A connection that net::begin_websocket has opened.
std::unique_ptr<Wire> websocket_wire(Descriptor socket);

// The connection to a browser: commands and their answers, and events, over whatever wire leads there.

using Deadline = std::chrono::steady_clock::time_point;

struct DevToolsLimits {
    std::size_t message_bytes = std::size_t{96} << 20;  // longer answers fail with `too_large`
    std::size_t waiting_bytes = std::size_t{64} << 20;  // of commands that the browser does not take
};

// Any thread may use it. One thread of its own moves the bytes.
class DevTools {
public:
    using Content = boost::json::object;
    using EventHandler = std::function<void(const std::string& method, const Content& params)>;

    // `gone` is what is said when the connection has ended without a reason.
    explicit DevTools(std::unique_ptr<Wire> wire, std::string gone = "the browser has ended",
                      DevToolsLimits limits = {});
    // Every command that waits fails with `unavailable`.
    ~DevTools();
    DevTools(const DevTools&) = delete;
    DevTools& operator=(const DevTools&) = delete;

    // A command under way. Several can be sent before the first answer is awaited: that saves turns.
    class Pending {
    public:
        // Fails with `timeout` when the time is over, with `unavailable` if the browser has gone or refuses,
        // with `too_large` if the answer is.
        Result<Content> wait_until(Deadline deadline);
        bool is_there(Deadline deadline) const {
            return answer_.wait_until(deadline) == std::future_status::ready;
        }

    private:
        friend class DevTools;
        std::string method_{};
        std::future<Result<Content>> answer_{};
    };

    // `session` is "" for the browser itself.
    Pending send(std::string_view method, Content parameters = {}, const std::string& session = {});
    // The same when the answer does not matter.
    void tell(std::string_view method, Content parameters = {}, const std::string& session = {});
    Result<Content> call(std::string_view method, Content parameters, const std::string& session,
                         Deadline deadline) {
        return send(method, std::move(parameters), session).wait_until(deadline);
    }

    // Calls the handler with every event of the session, on the connection's thread: it must be quick, and
    // may send but not wait. An empty handler ends it; after that call returns, the former one is not
    // running.
    void on_events(const std::string& session, EventHandler handler);

    bool is_open() const;
    // `unavailable`, with the reason; for a connection that is no longer open.
    Error why_closed() const;

private:
    using Answer = std::promise<Result<Content>>;
    struct State {
        bool is_closed = false;
        std::string why_closed{};  // "" if nobody said
        std::int64_t last_id = 0;
        std::string outgoing{};
        std::unordered_map<std::int64_t, Answer> waiting{};
    };
    using Handlers = std::unordered_map<std::string, EventHandler>;

    void post(std::string_view method, Content parameters, const std::string& session, Answer* answer);
    void run(const std::stop_token& stop);
    bool read_some();
    bool take_bytes(std::string_view bytes);
    void take_part(Wire::Part part);
    void take_message(std::string_view text);
    void settle(std::int64_t id, Result<Content> result);
    bool write_some();
    void close();

    std::unique_ptr<Wire> wire_;  // while it is open
    const std::string gone_;
    const DevToolsLimits limits_;
    WakeSignal wake_;
    Guarded<State> state_;
    Guarded<Handlers> handlers_;
    std::string sending_;       // taken from `outgoing`, not yet written
    std::size_t sent_ = 0;      // of it
    std::string incoming_;      // the beginning of a message
    bool is_skipping_ = false;  // the message is too long: its rest is dropped
    std::jthread thread_;
};

}  // namespace quarry::browser
