#include "db/redis/tls.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace quarry::db {

namespace {

struct FreeContext {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using Context = std::unique_ptr<SSL_CTX, FreeContext>;

std::string last_error() {
    const unsigned long code = ERR_peek_last_error();
    const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
    if (reason) return reason;
    return errno == 0 ? "the connection was closed" : std::strerror(errno);
}

std::unexpected<Error> refused(const RedisAddress& address, std::string_view why) {
    return fail(ErrorCode::refused,
                fmt::format("{} has no certificate that can be trusted: {}. Name the one that signed it with "
                            "?ca_file=FILE at the end of the URL",
                            address.place(), why));
}

Result<Context> trusting(const RedisAddress& address) {
    Context context(SSL_CTX_new(TLS_client_method()));
    if (!context) return fail(ErrorCode::unavailable, "no TLS: " + last_error());
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    // A server that closes without saying so has gone, and is treated so.
    SSL_CTX_set_mode(context.get(), SSL_MODE_AUTO_RETRY);
    const bool is_known = address.ca_file.empty() ? SSL_CTX_set_default_verify_paths(context.get()) == 1
                                                  : SSL_CTX_load_verify_locations(
                                                        context.get(), address.ca_file.c_str(), nullptr) == 1;
    if (!is_known)
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("cannot read certificates from {}: {}",
                        address.ca_file.empty() ? "the system's files" : address.ca_file, last_error()));
    return context;
}

// The name that the certificate must be for: an address is compared as such.
bool expect_host(SSL* session, const std::string& host) {
    X509_VERIFY_PARAM* rules = SSL_get0_param(session);
    if (X509_VERIFY_PARAM_set1_ip_asc(rules, host.c_str()) == 1) return true;
    return SSL_set1_host(session, host.c_str()) == 1 && SSL_set_tlsext_host_name(session, host.c_str()) == 1;
}

}  // namespace

void RedisTls::Close::operator()(ssl_st* session) const {
    SSL_free(session);
}

Result<RedisTls> RedisTls::begin(int socket, const RedisAddress& address) {
    const Context context = TRY(trusting(address));
    ERR_clear_error();
    RedisTls tls(SSL_new(context.get()));
    SSL* session = tls.session_.get();
    if (!session || SSL_set_fd(session, socket) != 1 || !expect_host(session, address.host))
        return fail(ErrorCode::unavailable, "no TLS: " + last_error());
    errno = 0;
    if (SSL_connect(session) == 1) return tls;
    const long verdict = SSL_get_verify_result(session);
    if (verdict != X509_V_OK) return refused(address, X509_verify_cert_error_string(verdict));
    return fail(ErrorCode::unavailable, fmt::format("{} speaks no TLS that is understood here: {}. Is it the "
                                                    "port of its tls-port?",
                                                    address.place(), last_error()));
}

bool RedisTls::write(std::string_view bytes) {
    ERR_clear_error();
    errno = 0;
    std::size_t written = 0;
    const int done = SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &written);
    is_silent_ = done != 1 && SSL_get_error(session_.get(), done) == SSL_ERROR_WANT_WRITE;
    return done == 1;
}

std::size_t RedisTls::read(std::span<char> buffer) {
    ERR_clear_error();
    errno = 0;
    std::size_t got = 0;
    const int done = SSL_read_ex(session_.get(), buffer.data(), buffer.size(), &got);
    is_silent_ = done != 1 && SSL_get_error(session_.get(), done) == SSL_ERROR_WANT_READ;
    return done == 1 ? got : 0;
}

bool RedisTls::has_more() const {
    return SSL_has_pending(session_.get()) == 1;
}

std::string RedisTls::trouble() const {
    return is_silent_ ? "it does not answer" : last_error();
}

}  // namespace quarry::db
