// Sockets in the file system, for processes of one user on one machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sys/types.h>

#include "base/result.h"

namespace quarry::app {

// Closes its descriptor.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor();

    int get() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }

private:
    int number_ = -1;
};

// Listens at `path`, which only this user may connect to, and the members of `group` if there is one. A file
// that is there already is replaced: the caller knows that nobody listens on it. Does not block, nor do its
// connections.
Result<Descriptor> listen_at(const std::string& path, std::optional<gid_t> group = {});

// `not_found` if nobody listens there.
Result<Descriptor> connect_to(const std::string& path);

// True if the other end belongs to this user, or to root.
bool is_own_peer(int socket);

}  // namespace quarry::app
