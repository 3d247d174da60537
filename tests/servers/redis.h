// A real Redis on a free loopback port with a folder of its own, stopped with the object.
#pragma once

#include <memory>
#include <string>

#include <sys/types.h>

#include "servers/temporary_folder.h"

namespace quarry::test {

class Redis {
public:
    struct Options {
        std::string fsync = "always";  // appendfsync; "" for no file at all
        std::string settings{};        // more lines of redis.conf
        bool tls = false;              // also on another port, with a certificate of its own authority
    };

    // Nothing if it is not installed, or openssl is not and is needed.
    static bool is_installed();
    static std::unique_ptr<Redis> start(const Options& options);
    static std::unique_ptr<Redis> start() { return start(Options{}); }
    // One for all tests of the process, which keep their keys apart by a prefix; its file is synced now and
    // then. nullptr if it is not installed.
    static Redis* shared();
    ~Redis();

    std::string url() const;
    int tls_port() const { return tls_port_; }
    std::string ca_file() const { return folder_.file("ca.pem"); }  // that signed its certificate
    void kill();                                                    // -9
    void restart();                                                 // the same port and data
    void freeze();  // it keeps its connections and does nothing
    void thaw();
    pid_t process() const { return process_; }
    int port() const { return port_; }
    std::string log() const { return read_file(folder_.file("log")); }

private:
    explicit Redis(std::string program) : program_(std::move(program)) {}
    void write_settings(const Options& options) const;
    bool make_certificates() const;
    pid_t spawn() const;
    bool answers() const;
    bool launch();
    void stop(int signal);

    TemporaryFolder folder_;
    std::string program_;
    int port_ = 0, tls_port_ = 0;
    pid_t process_ = -1;
};

}  // namespace quarry::test
