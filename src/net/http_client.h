// The one door to the network: every request of the program goes through here, so that address policy, limits
// and proxy hold for all of them. One thread drives all transfers with libcurl; requests wait in queues of
// our own, because curl's grows slow and unfair when it holds more transfers than it may run.
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "base/result.h"
#include "net/http_config.h"
#include "net/http_message.h"

namespace quarry::net {

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
