// A real nginx on an ephemeral port of 127.0.0.1, over TLS with a certificate made for the occasion, so that
// HTTP/2 and certificates are tested against something nobody here wrote.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace quarry::test {

class NginxServer {
public:
    // Nothing if nginx or openssl is not installed: the test then says that it is skipped. The server answers
    // GET / with "hello from nginx"; it may need a moment before it accepts connections.
    static std::unique_ptr<NginxServer> start();

    // Ends nginx and removes its folder.
    ~NginxServer();

    NginxServer(const NginxServer&) = delete;
    NginxServer& operator=(const NginxServer&) = delete;

    std::string url(std::string_view host = "127.0.0.1") const;
    std::string ca_file() const { return (folder_ / "certificate.pem").string(); }

private:
    NginxServer() = default;

    std::filesystem::path folder_;
    std::uint16_t port_ = 0;
    pid_t process_ = -1;
};

}  // namespace quarry::test
