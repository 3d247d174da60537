// The one door to the network: every request of the program goes through here, so that address policy,
// limits and proxy (HttpConfig) hold for all of them. One thread drives all transfers with libcurl;
// requests wait in queues of our own, because curl's grows slow and unfair when it holds more transfers
// than it may run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/result.h"
#include "net/http_message.h"

namespace quarry::net {

// What holds for every request of one HTTP client.

struct HttpConfig {
    std::string user_agent = "quarry/0.2";

    // "http://user:password@proxy.example:3128", also https, socks5 and socks5h. Only from here, never from a
    // request or the environment. The proxy resolves names, so only hosts written as addresses can be checked
    // by the policy.
    std::string proxy{};

    std::string ca_file{};  // certificates to trust, PEM; empty means the system's

    std::size_t max_in_flight = 256;    // transfers under way at once
    std::size_t max_waiting = 10'000;   // requests accepted beyond those; more fail with `conflict`
    std::size_t max_connections = 512;  // open connections, idle ones included
    std::size_t max_lookups = 32;       // names looked up at once; each lookup is a thread of curl's

    // Transfers connected to one address at once, whatever host names led there; more wait, without holding
    // up others. 0: no limit. Does not apply to a proxy.
    std::size_t max_transfers_per_address = 0;

    // Decoded bytes of bodies that are not yet handed to their callbacks, all transfers together. When they
    // are used up, no transfer begins and those under way pause, at no cost to their time limits, until
    // others have ended; one always goes on. So there can be more by one body and a block.
    std::uint64_t max_bytes_in_flight = std::uint64_t{256} * 1024 * 1024;
};

// The one door to the network: every request of the program goes through here, so that address policy, limits
// and proxy hold for all of them. One thread drives all transfers with libcurl; requests wait in queues of
// our own, because curl's grows slow and unfair when it holds more transfers than it may run.

class TransferLoop;

class HttpClient {
public:
    // Called exactly once per request, on the client's thread. It must only move the result elsewhere: while
    // it runs, nothing else does. It may submit another request.
    using Callback = std::move_only_function<void(Result<HttpResponse>)>;

    // Fails with `invalid_argument` if the configuration cannot work.
    static Result<std::unique_ptr<HttpClient>> open(HttpConfig config);

    // Ends every request with `interrupted`, calls their callbacks, and returns when the thread has ended.
    ~HttpClient();

    // Sends the request as soon as there is room. Never blocks. Any thread. Requests begin in the order they
    // came, but nobody waits behind one that waits for its name, its address or its time; how many go to one
    // host at once is the caller's to decide. A batch wakes the client's thread once.
    //
    // An answer of any status is a success here. Errors: `invalid_argument` (must not be sent like this),
    // `refused` (address policy, untrusted certificate), `not_found` (name does not resolve), `unavailable`
    // (no connection, broken, cut short), `timeout`, `too_large`, `corrupt` (not HTTP, broken compression),
    // `conflict` (too many requests wait already), `interrupted`.
    void submit(HttpRequest request, Callback callback);

    // The same, waiting for the result. Any thread but the client's own.
    Result<HttpResponse> perform(HttpRequest request);

private:
    explicit HttpClient(std::unique_ptr<TransferLoop> loop);

    std::unique_ptr<TransferLoop> loop_;
    std::jthread thread_;
};

}  // namespace quarry::net
