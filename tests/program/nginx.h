// A real nginx on a free loopback port, serving a folder, stopped with the object.
#pragma once

#include <optional>
#include <string>

#include <sys/types.h>

#include "run_quarry.h"

namespace quarry::tests {

class Nginx {
public:
    // Serves `root`; `server_lines` go into its server block. Nothing if nginx is not installed.
    static std::optional<Nginx> start(const std::string& root, const std::string& server_lines = "");
    Nginx(Nginx&& other) noexcept;
    Nginx& operator=(Nginx&&) = delete;
    ~Nginx();

    // "http://127.0.0.1:40123" + path
    std::string url(const std::string& path) const;
    int port() const { return port_; }
    // The lines of the access log so far: "GET /a 200".
    std::string access_log() const;

private:
    Nginx() = default;
    std::optional<TemporaryFolder> folder_;
    pid_t process_ = -1;
    int port_ = 0;
};

}  // namespace quarry::tests
