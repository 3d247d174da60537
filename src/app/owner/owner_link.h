// Somebody who owns the data and can be asked: the process that holds a data folder, over its socket
// (owner_client.h), or a server, over HTTP (remote_owner.h). Used by one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "base/result.h"
#include "model/model_ids.h"
#include "store/store.h"

namespace quarry::app {

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

}  // namespace quarry::app
