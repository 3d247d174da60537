// The owner of the data, seen from a command. An OwnerLink is the connection to it: to the process that holds
// a data folder, over its socket, or to a server, over HTTP (app/remote).
// OwnerClient is a command's end of DATA/quarry.sock. reach_owner finds out whether another process works on
// the folder, or this process has to.
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

// The connection to the owner of the data: to the process that holds a data folder, over its socket
// (OwnerClient), or to a server, over HTTP (app/remote). Used by one thread at a time.

enum class Hears : std::uint8_t {
    changes,  // of crawls
    pages,    // also each page that is fetched or indexed, if the owner tells of pages: a server does not
};

class OwnerLink {
public:
    virtual ~OwnerLink() = default;

    // Calls a method of app/owner/methods.h. Waits for the answer as long as it takes.
    virtual Result<boost::json::value> call(std::string_view method, boost::json::object params = {}) = 0;

    // False if the owner left before it heard the last call: the call can be repeated elsewhere.
    virtual bool was_heard() const = 0;

    // Asks for the events of a group, or of all.
    virtual Result<void> follow(std::optional<GroupId> group, Hears hears = Hears::changes) = 0;

    // The next event; nothing if none came within `timeout`. Fails with `not_found` once the owner has left.
    virtual Result<std::optional<store::Event>> next_event(std::chrono::milliseconds timeout) = 0;

    // The owner's name in messages: "process 4121".
    virtual std::string name() const = 0;
};

// A command's end of DATA/quarry.sock. Used by one thread at a time.

class OwnerClient : public OwnerLink {
public:
    // Fails with `not_found` if no process listens or the owner is just leaving, and with `unavailable` if
    // the owner does not answer.
    static Result<OwnerClient> connect(const DataFolder& folder, const std::string& version);

    const Greeting& owner() const { return owner_; }

    // The answer may take long, as for a backup; an owner that dies meanwhile is noticed.
    Result<boost::json::value> call(std::string_view method, boost::json::object params = {}) override;
    bool was_heard() const override { return was_heard_; }
    Result<void> follow(std::optional<GroupId> group, Hears hears = Hears::changes) override;
    Result<std::optional<store::Event>> next_event(std::chrono::milliseconds timeout) override;
    std::string name() const override { return "process " + std::to_string(owner_.process); }

    // Returns when the owner has closed the connection: the owner has left, or is about to.
    void wait_until_left();

private:
    explicit OwnerClient(Descriptor socket) : socket_(std::move(socket)) {}
    Result<void> greet(const std::string& version);
    // Sends the whole message, or fails; the owner does not act on a part.
    Result<void> send(const boost::json::object& message);
    // The next message; nothing if none came within `timeout`. A negative `timeout` waits forever.
    Result<std::optional<boost::json::object>> receive(std::chrono::milliseconds timeout);

    Descriptor socket_;
    Greeting owner_;
    FrameReader input_;
    std::deque<store::Event> events_;  // that came while a call waited
    std::int64_t last_id_ = 0;
    bool was_heard_ = false;
};

// Who works on a data folder: an owner that can be asked, or this process.

// The owner of the folder, or its lock if this process owns it now.
using OwnerOrLock = std::variant<OwnerClient, FolderLock>;
// The same where the owner may be a server.
using LinkOrLock = std::variant<std::unique_ptr<OwnerLink>, FolderLock>;

struct DataSource;

// Waits while an owner is starting or leaving, and has an older background worker hand over. Fails with
// `conflict` and a sentence if the owner does not answer or speaks another protocol, and with `interrupted`
// if `stop` ends the wait.
Result<OwnerOrLock> reach_owner(const DataFolder& folder, const std::string& version,
                                std::stop_token stop = {});
// With a server this never returns a lock: no process here works in its stead.
Result<LinkOrLock> reach_owner(const DataSource& place, std::stop_token stop = {});
// Connects to the present owner of the data. Fails with `not_found` if there is none.
Result<std::unique_ptr<OwnerLink>> connect_to_owner(const DataSource& place);

}  // namespace quarry::app
