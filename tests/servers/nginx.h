// A real nginx on a free loopback port, serving a folder, stopped with the object.
#pragma once

#include <optional>
#include <string>

#include <sys/types.h>

#include "servers/temporary_folder.h"

namespace quarry::test {

class Nginx {
public:
    // Serves `root`; `server_lines` go into its server block. Nothing if nginx is not installed.
    static std::optional<Nginx> start(const std::string& root, const std::string& server_lines = "");
    // The same over TLS and HTTP/2, with a certificate for 127.0.0.1 and localhost made for the occasion.
    // Nothing if nginx or openssl is not installed.
    static std::optional<Nginx> start_tls(const std::string& root, const std::string& server_lines = "");
    Nginx(Nginx&& other) noexcept;
    Nginx& operator=(Nginx&&) = delete;
    ~Nginx();

    // "http://127.0.0.1:40123" + path; https over TLS.
    std::string url(const std::string& path, const std::string& host = "127.0.0.1") const;
    std::string ca_file() const { return folder_->file("certificate.pem"); }
    int port() const { return port_; }
    // The lines of the access log so far: "GET /a 200".
    std::string access_log() const;

private:
    Nginx() = default;
    void launch(const std::string& root, const std::string& server_lines);

    std::optional<TemporaryFolder> folder_;
    pid_t process_ = -1;
    int port_ = 0;
    bool tls_ = false;
};

}  // namespace quarry::test
