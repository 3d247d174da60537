// The owner of a server's data, asked over HTTP as the owner of a folder is over its socket.
#pragma once

#include <memory>

#include "app/owner/owner_link.h"
#include "app/remote/api.h"

namespace quarry::app {

class RemoteOwner : public OwnerLink {
public:
    explicit RemoteOwner(std::shared_ptr<RemoteApi> api) : api_(std::move(api)) {}

    // `unsupported` for what only the machine itself can do.
    Result<boost::json::value> call(std::string_view method, boost::json::object params = {}) override;
    bool was_heard() const override { return true; }

    // A server is asked how far it is instead of telling: nobody misses what is told while a connection is
    // broken.
    Result<void> follow(std::optional<GroupId>, Hears = Hears::changes) override { return {}; }
    Result<std::optional<store::Event>> next_event(std::chrono::milliseconds timeout) override;

    std::string name() const override { return "the server at " + api_->url(); }

private:
    const std::shared_ptr<RemoteApi> api_;
    int waits_ = 0;  // for events, so far
};

}  // namespace quarry::app
