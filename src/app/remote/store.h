// What a server has in its store, read over quarry's own API, and changed over it: the owner of a server's
// data is asked over HTTP as the owner of a folder is over its socket.
#pragma once

#include <memory>

#include "app/owner/client.h"
#include "app/remote/api.h"
#include "store/reader.h"

namespace quarry::app {

// The owner of a server's data, asked over HTTP as the owner of a folder is over its socket.

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

// What a server has in its store, read over quarry's own API.

// Fails as the server does; `corrupt` if an answer is not what it should be.
std::unique_ptr<store::Reader> remote_reader(std::shared_ptr<RemoteApi> api);

}  // namespace quarry::app
