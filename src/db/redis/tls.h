// A connection to Redis that nobody on the way can read or change: TLS by OpenSSL over a socket that hiredis
// has connected, since the hiredis of Debian 12 speaks none. Whoever uses it ignores SIGPIPE.
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
    // Fails with `refused` if the server cannot prove that it is the address's host, by a certificate that
    // the system trusts, or that the file of the address's `ca_file` does; else with `unavailable`. The
    // socket's own time-outs count, and it is not closed.
    static Result<RedisTls> begin(int socket, const RedisAddress& address);

    // False if the connection is lost, or nothing moves for too long: see trouble().
    bool write(std::string_view bytes);
    // How many bytes have come, as soon as there are some; 0 as above.
    std::size_t read(std::span<char> buffer);
    // There is something to read that poll() knows nothing of.
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
