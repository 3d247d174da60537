// A browser that somebody else has started, with a port for DevTools on loopback: for quarry, one that runs
// elsewhere.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "servers/temporary_folder.h"

namespace quarry::test {

class RemoteChromium {
public:
    // Returns when it listens. Ends the program with a message if it does not.
    RemoteChromium();
    ~RemoteChromium();
    RemoteChromium(const RemoteChromium&) = delete;
    RemoteChromium& operator=(const RemoteChromium&) = delete;

    std::string url() const;  // http://127.0.0.1:PORT
    const std::string& websocket_url() const { return websocket_url_; }
    int port() const { return port_; }

    void kill();
    void start_again();  // at the same port

    // The URLs of the pages that are open in it, as it tells them at /json/list.
    std::vector<std::string> pages() const;

private:
    void start();

    TemporaryFolder folder_;
    pid_t process_ = -1;
    int port_ = 0;
    std::string websocket_url_;
};

}  // namespace quarry::test
