#include "app/owner/service_manager.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace quarry::app {

void tell_service_manager(std::string_view state) {
    const char* path = std::getenv("NOTIFY_SOCKET");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string_view name = path ? path : "";
    if (name.empty() || name.size() >= sizeof address.sun_path) return;
    std::memcpy(address.sun_path, name.data(), name.size());
    // An abstract socket's name begins with a zero, which is written as @.
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return;
    // Whether it is heard makes no difference to what is done.
    (void)::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
                   reinterpret_cast<const sockaddr*>(&address), size);
    ::close(socket);
}

}  // namespace quarry::app
