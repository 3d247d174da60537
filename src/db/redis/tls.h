// A connection to Redis that nobody on the way can read or change. OpenSSL speaks TLS over a socket that
// hiredis has connected, because the hiredis of Debian 12 does not speak TLS. The program that uses it
// ignores SIGPIPE.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "db/redis/url.h"

struct ssl_st;

namespace quarry::db {

class RedisTls {
public:
    // Fails with `refused` if the server cannot prove that it is the host of the address, by a certificate
    // that the system trusts or that the address's `ca_file` trusts; otherwise with `unavailable`. The
    // socket's own time-outs apply. The socket is not closed.
    static Result<RedisTls> begin(int socket, const RedisAddress& address);

    // False if the connection is lost, or if nothing moves for too long: see trouble().
    bool write(std::string_view bytes);
    // Returns the number of bytes that have come, as soon as there are some; 0 where write() returns false.
    std::size_t read(std::span<char> buffer);
    // True if there is something to read that poll() does not know of.
    bool has_more() const;

    std::string trouble() const;  // of the last call that failed

private:
    struct Close {
        void operator()(ssl_st* session) const;
    };
    explicit RedisTls(ssl_st* session) : session_(session) {}

    std::unique_ptr<ssl_st, Close> session_;
    bool is_silent_ = false;  // the last call ended because nothing came for too long
};

}  // namespace quarry::db
