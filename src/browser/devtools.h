// The connection to a browser: commands and their answers, and events, over whatever wire leads there.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

#include <boost/json/fwd.hpp>

#include "base/guarded.h"
#include "base/result.h"
#include "base/threads.h"
#include "browser/message.h"
#include "browser/wire.h"

namespace quarry::browser {

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
