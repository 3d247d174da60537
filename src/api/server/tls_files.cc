#include "api/server/tls_files.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

namespace quarry::api {

namespace ssl = boost::asio::ssl;

Result<TlsFiles> TlsFiles::open(const std::string& certificate, const std::string& key, Log log) {
    TlsFiles files(certificate, key, std::move(log));
    files.times_ = files.times();
    files.context_ = TRY(files.read());
    return files;
}

TlsFiles::Context TlsFiles::current() {
    constexpr std::chrono::seconds between_looks{1};
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_at_ < between_looks) return context_;
    looked_at_ = now;
    const Times seen = times();
    if (seen == times_) return context_;
    // Two files are not replaced at one moment: what does not fit together yet is looked at again.
    auto fresh = read();
    if (fresh) {
        times_ = seen;
        context_ = *std::move(fresh);
        if (log_) log_("api: the certificate was read again");
    } else if (log_) {
        log_(fmt::format("api: the certificate stays the one of before: {}", fresh.error().message));
    }
    return context_;
}

TlsFiles::Times TlsFiles::times() const {
    std::error_code ignored;
    return {.certificate = std::filesystem::last_write_time(certificate_, ignored),
            .key = std::filesystem::last_write_time(key_, ignored)};
}

Result<TlsFiles::Context> TlsFiles::read() const {
    boost::system::error_code error;
    const auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
    const auto refused = [&](const std::string& file) {
        return fail(ErrorCode::invalid_argument, fmt::format("{} cannot be used: {}", file, error.message()));
    };
    SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
    SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);  // what is idle holds little
    // Nobody is there to be asked for the password of a key: one that has one cannot be used.
    const auto no_password = [](std::size_t, ssl::context::password_purpose) { return std::string(); };
    context->set_password_callback(no_password, error);
    if (error) return refused(key_);
    context->use_certificate_chain_file(certificate_, error);
    if (error) return refused(certificate_);
    context->use_private_key_file(key_, ssl::context::pem, error);
    if (error) return refused(key_);
    if (SSL_CTX_check_private_key(context->native_handle()) != 1)
        return fail(ErrorCode::invalid_argument, fmt::format("{} is not the key of {}", key_, certificate_));
    return context;
}

}  // namespace quarry::api
