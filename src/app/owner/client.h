// A command's end of DATA/quarry.sock. Used by one thread at a time.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "app/data_folder.h"
#include "app/owner/frame.h"
#include "app/local_socket.h"
#include "app/owner/owner_link.h"
#include "app/owner/protocol.h"
#include "base/result.h"
#include "store/store.h"

namespace quarry::app {

class OwnerClient : public OwnerLink {
public:
    // `not_found` if nobody listens, or the owner is just leaving; `unavailable` if it does not answer.
    static Result<OwnerClient> connect(const DataFolder& folder, const std::string& version);

    const Greeting& owner() const { return owner_; }

    // A backup may take long; an owner that dies is noticed.
    Result<boost::json::value> call(std::string_view method, boost::json::object params = {}) override;
    bool was_heard() const override { return was_heard_; }
    Result<void> follow(std::optional<GroupId> group, Hears hears = Hears::changes) override;
    Result<std::optional<store::Event>> next_event(std::chrono::milliseconds timeout) override;
    std::string name() const override { return "process " + std::to_string(owner_.process); }

    // Returns when the owner has closed the connection: it has left, or is about to.
    void wait_until_left();

private:
    explicit OwnerClient(Descriptor socket) : socket_(std::move(socket)) {}
    Result<void> greet(const std::string& version);
    // All of it or nothing that the owner acts on.
    Result<void> send(const boost::json::object& message);
    // Nothing when none came within `timeout`; a negative one waits for ever.
    Result<std::optional<boost::json::object>> receive(std::chrono::milliseconds timeout);

    Descriptor socket_;
    Greeting owner_;
    FrameReader input_;
    std::deque<store::Event> events_;  // that came between an answer's frames
    std::int64_t last_id_ = 0;
    bool was_heard_ = false;
};

}  // namespace quarry::app
