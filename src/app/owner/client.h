// Who owns the data, seen from a command. OwnerLink is what a command asks: the process that holds a data
// folder, over its socket, or a server, over HTTP (app/remote).
// OwnerClient is a command's end of DATA/quarry.sock. connect_to_owner finds out whether another process
// works on the folder, or this one has to.
// One thread at a time uses a link.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include <boost/json.hpp>
#include <boost/json/fwd.hpp>

#include "app/data_folder.h"
#include "app/local_socket.h"
#include "app/owner/protocol.h"
#include "base/result.h"
#include "model/ids.h"
#include "store/store.h"

namespace quarry::app {

// Somebody who owns the data and can be asked: the process that holds a data folder, over its socket
// (owner_client.h), or a server, over HTTP (remote_owner.h). Used by one thread at a time.

enum class Hears : std::uint8_t {
    changes,  // of crawls
    pages,    // also each page that is fetched or indexed, where the owner tells of them: a server does not
};

class OwnerLink {
public:
    virtual ~OwnerLink() = default;

    // What owner_methods.h names. Waits for the answer as long as it takes.
    virtual Result<boost::json::value> call(std::string_view method, boost::json::object params = {}) = 0;

    // False if the owner left before it heard the last call: it can be made again elsewhere.
    virtual bool was_heard() const = 0;

    // Asks for the events of a group, or of all.
    virtual Result<void> follow(std::optional<GroupId> group, Hears hears = Hears::changes) = 0;

    // Nothing when none came within `timeout`. Fails with `not_found` once the owner has left.
    virtual Result<std::optional<store::Event>> next_event(std::chrono::milliseconds timeout) = 0;

    // How people know it: "process 4121".
    virtual std::string name() const = 0;
};

// A command's end of DATA/quarry.sock. Used by one thread at a time.

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

// Who works on a data folder: somebody who can be asked, or this process.

// Either somebody owns the folder and can be asked, or it is ours now.
using OwnerOrLock = std::variant<OwnerClient, FolderLock>;
// The same where the owner may be a server.
using LinkOrLock = std::variant<std::unique_ptr<OwnerLink>, FolderLock>;

struct DataSource;

// Waits while an owner is beginning or leaving, and has an older background worker hand over. Fails with
// `conflict` and a sentence if the owner does not answer, speaks another protocol, or is asked to stop
// waiting.
Result<OwnerOrLock> reach_owner(const DataFolder& folder, const std::string& version,
                                std::stop_token stop = {});
// A server is always there: nobody works in its stead.
Result<LinkOrLock> reach_owner(const DataSource& place, std::stop_token stop = {});
// Whoever owns it now. `not_found` if nobody does.
Result<std::unique_ptr<OwnerLink>> connect_to_owner(const DataSource& place);

}  // namespace quarry::app
