#include "net/dial.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "net/curl_url.h"
#include "net/transfer_error.h"

namespace quarry::net {
namespace {

constexpr long seconds_until_probe = 10, seconds_between_probes = 5;
constexpr unsigned longest_silence_ms = 25'000;

// curl looks names up within a time and tries addresses of both kinds; its socket is copied, since it goes
// with the handle.
Result<Descriptor> connect(const url::Url& url, std::chrono::milliseconds timeout) {
    ensure_curl_is_initialised();
    const UrlHandle curl_url = TRY(to_curl_url(url));
    const EasyHandle easy(curl_easy_init());
    curl_easy_setopt(easy.get(), CURLOPT_CURLU, curl_url.get());
    curl_easy_setopt(easy.get(), CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy.get(), CURLOPT_PROXY, "");
    curl_easy_setopt(easy.get(), CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(easy.get(), CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(timeout.count()));
    curl_easy_setopt(easy.get(), CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy.get(), CURLOPT_TCP_KEEPIDLE, seconds_until_probe);
    curl_easy_setopt(easy.get(), CURLOPT_TCP_KEEPINTVL, seconds_between_probes);
    const CURLcode code = curl_easy_perform(easy.get());
    if (code != CURLE_OK) {
        TransferFacts facts{.host = std::string(url.host()),
                            .port = url.effective_port(),
                            .limits = {.timeout = timeout, .connect_timeout = timeout}};
        curl_easy_getinfo(easy.get(), CURLINFO_OS_ERRNO, &facts.system_error);
        return std::unexpected(describe_failure(code, facts));
    }
    curl_socket_t socket = CURL_SOCKET_BAD;
    curl_easy_getinfo(easy.get(), CURLINFO_ACTIVESOCKET, &socket);
    Descriptor copy(fcntl(socket, F_DUPFD_CLOEXEC, 0));
    if (!copy.is_open()) return fail(ErrorCode::unavailable, "no descriptor is left");
    return copy;
}

}  // namespace

Result<Dialled> dial(const std::string& host, std::uint16_t port, std::chrono::milliseconds timeout) {
    const url::Url place = TRY(url::Url::parse(fmt::format("http://{}:{}/", host, port)));
    Descriptor socket = TRY(connect(place, timeout));
    fcntl(socket.get(), F_SETFL, fcntl(socket.get(), F_GETFL) | O_NONBLOCK);
    setsockopt(socket.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &longest_silence_ms, sizeof longest_silence_ms);
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    const auto peer = getpeername(socket.get(), any, &size) == 0 ? Address::from_sockaddr(any) : std::nullopt;
    if (!peer) return fail(ErrorCode::unavailable, fmt::format("{} closed the connection", host));
    return Dialled{std::move(socket), *peer};
}

}  // namespace quarry::net
