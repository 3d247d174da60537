#include <cstdlib>
#include <cstring>
#include <string>

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/owner/background.h"
#include "servers/temporary_folder.h"

namespace quarry::app {

TEST_CASE("a service manager hears what it is told, and without one nobody does") {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("notify");
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(path.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, path.data(), path.size());
    REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);

    tell_service_manager("LOST=1");
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
    tell_service_manager("READY=1");
    ::unsetenv("NOTIFY_SOCKET");

    char heard[100];
    const ssize_t size = ::recv(socket, heard, sizeof heard, MSG_DONTWAIT);
    ::close(socket);
    REQUIRE(size > 0);
    CHECK(std::string(heard, static_cast<std::size_t>(size)) == "READY=1");
}

}  // namespace quarry::app
