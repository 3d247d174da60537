#include "app/local_socket.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace quarry::app {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> failure(std::string_view what, const std::string& path) {
    const bool nobody = errno == ENOENT || errno == ECONNREFUSED || errno == ENOTDIR;
    return fail(nobody ? ErrorCode::not_found : ErrorCode::unavailable,
                fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

// An address has room for 107 bytes only. A longer path is reached through its folder's descriptor, which
// /proc names in a few bytes and which the caller keeps open.
struct Address {
    sockaddr_un name{};
    Descriptor folder{};
};

Result<Address> address_of(const std::string& path) {
    Address address;
    address.name.sun_family = AF_UNIX;
    std::string shortened = path;
    if (path.size() >= sizeof address.name.sun_path) {
        const fs::path whole(path);
        address.folder = Descriptor(::open(whole.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (!address.folder) return failure("reach", path);
        shortened = fmt::format("/proc/self/fd/{}/{}", address.folder.get(), whole.filename().string());
    }
    std::memcpy(address.name.sun_path, shortened.c_str(), shortened.size() + 1);
    return address;
}

// A service that is of this group may not be allowed to change any.
bool give_to(gid_t group, const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) == 0 && status.st_gid == group) return true;
    return ::chown(path.c_str(), static_cast<uid_t>(-1), group) == 0;
}

}  // namespace

Descriptor::~Descriptor() {
    if (number_ >= 0) ::close(number_);
}

Result<Descriptor> listen_at(const std::string& path, std::optional<gid_t> group) {
    const Address address = TRY(address_of(path));
    ::unlink(path.c_str());
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto* name = reinterpret_cast<const sockaddr*>(&address.name);
    // fchmod before bind gives the file its mode from the start: it is never open to others.
    if (!socket || ::fchmod(socket.get(), 0600) != 0 ||
        ::bind(socket.get(), name, sizeof address.name) != 0 || ::listen(socket.get(), 64) != 0)
        return failure("listen on", path);
    // First the group, then its right: it is never open to another one.
    if (group && (!give_to(*group, path) || ::chmod(path.c_str(), 0660) != 0))
        return failure("listen on", path);
    return socket;
}

Result<Descriptor> connect_to(const std::string& path) {
    const Address address = TRY(address_of(path));
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto* name = reinterpret_cast<const sockaddr*>(&address.name);
    if (!socket || ::connect(socket.get(), name, sizeof address.name) != 0)
        return failure("connect to", path);
    return socket;
}

bool is_own_peer(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
    return peer.uid == ::geteuid() || peer.uid == 0;
}

}  // namespace quarry::app
