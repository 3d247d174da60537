#include "net/transfer_error.h"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "net/wording.h"

namespace quarry::net {

namespace {

std::string detail_or(const TransferFacts& facts, std::string_view otherwise) {
    return facts.detail.empty() ? std::string(otherwise) : facts.detail;
}

std::string cannot_connect(const TransferFacts& facts) {
    const std::string& peer = facts.address.empty() ? facts.host : facts.address;
    switch (facts.system_error) {
        case ECONNREFUSED: return fmt::format("connection refused by {} port {}", peer, facts.port);
        case EHOSTUNREACH:
        case ENETUNREACH: return fmt::format("no route to {} port {}", peer, facts.port);
        case 0: return fmt::format("could not connect to {} port {}", peer, facts.port);
        default:
            return fmt::format("could not connect to {} port {}: {}", peer, facts.port,
                               std::generic_category().message(static_cast<int>(facts.system_error)));
    }
}

std::string timed_out(const TransferFacts& facts) {
    const HttpLimits& limits = facts.limits;
    const auto connecting = std::min(limits.connect_timeout, limits.timeout);
    if (facts.has_answer) return fmt::format("timed out after {}", in_words(limits.timeout));
    if (facts.is_connected) return fmt::format("server did not answer within {}", in_words(limits.timeout));
    if (facts.address.empty())
        return fmt::format("could not resolve host {} within {}", facts.host, in_words(connecting));
    return fmt::format("could not connect to {} port {} within {}", facts.address, facts.port,
                       in_words(connecting));
}

// On a used connection these may be leftovers of an answer that was longer than promised; a new one is worth
// a try.
Error not_http(const TransferFacts& facts) {
    if (facts.is_reused)
        return {ErrorCode::unavailable,
                fmt::format("connection to {} broke: the server sent more than it had promised", facts.host)};
    return {ErrorCode::corrupt, fmt::format("the answer of {} is not HTTP", facts.host)};
}

bool is_tls_failure(CURLcode code) {
    switch (code) {
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CIPHER:
        case CURLE_SSL_CRL_BADFILE:
        case CURLE_SSL_INVALIDCERTSTATUS:
        case CURLE_SSL_SHUTDOWN_FAILED: return true;
        default: return false;
    }
}

}  // namespace

Error describe_failure(CURLcode code, const TransferFacts& facts) {
    const auto detail = [&] { return detail_or(facts, curl_easy_strerror(code)); };
    if (is_tls_failure(code))
        return {ErrorCode::unavailable,
                fmt::format("TLS handshake with {} failed: {}", facts.host, detail())};
    switch (code) {
        case CURLE_COULDNT_RESOLVE_HOST:
            return {ErrorCode::not_found, fmt::format("could not resolve host {}", facts.host)};
        case CURLE_COULDNT_RESOLVE_PROXY:
            return {ErrorCode::unavailable, "could not resolve the proxy's host"};
        case CURLE_COULDNT_CONNECT: return {ErrorCode::unavailable, cannot_connect(facts)};
        case CURLE_OPERATION_TIMEDOUT: return {ErrorCode::timeout, timed_out(facts)};
        case CURLE_PARTIAL_FILE: return {ErrorCode::unavailable, "server sent fewer bytes than it promised"};
        case CURLE_GOT_NOTHING:
            return {ErrorCode::unavailable, "server closed the connection without an answer"};
        case CURLE_PEER_FAILED_VERIFICATION:
            return {ErrorCode::refused,
                    fmt::format("certificate of {} is not trusted: {}", facts.host, detail())};
        case CURLE_SSL_CACERT_BADFILE:
            return {ErrorCode::invalid_argument, fmt::format("cannot read the CA file: {}", detail())};
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_WEIRD_SERVER_REPLY: return not_http(facts);
        case CURLE_OUT_OF_MEMORY:  // curl says so when a single header line passes 100 KB
            return {ErrorCode::too_large,
                    fmt::format("a header of the answer of {} is too long", facts.host)};
        case CURLE_BAD_CONTENT_ENCODING:
            return {ErrorCode::corrupt, fmt::format("the answer is not compressed as it says: {}", detail())};
        default:
            return {ErrorCode::unavailable, fmt::format("connection to {} broke: {}", facts.host, detail())};
    }
}

}  // namespace quarry::net
