// One page over HTTP, whatever it takes: redirects, cookies between them, retries with patience, and an end
// to both.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fetch/retry.h"
#include "model/page.h"
#include "net/address_policy.h"
#include "net/http_client.h"
#include "net/http_message.h"
#include "url/url.h"

namespace quarry::fetch {

// Markdown first: where a server offers it for the same page, nothing has to be extracted. Short, because
// curl writes a request letter by letter: a list of all we read would cost a tenth of a fetch.
inline constexpr std::string_view preferred_content =
    "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, */*;q=0.5";

struct FetchConfig {
    net::HttpLimits limits{};  // of one try; all redirects of a try share its timeout
    int max_redirects = 10;
    std::chrono::milliseconds patience{120'000};  // no retry begins later than this after the fetch did
    RetryConfig retry{};
    BreakerConfig breaker{};
};

// Who tries again after a timeout, a broken connection, a 429 or a status from 500 on.
enum class Retry {
    configured,  // the fetcher, as FetchConfig::retry says
    // The caller, who may keep its waiting tries where a crash cannot reach them. Whatever the first try of
    // each hop brings is the result: a 503 is a page at once, with its Retry-After (see retry_after.h). To
    // the circuit breaker any answer is a success then: the caller sees the status and draws its own
    // conclusions about the host.
    none,
};

struct FetchRequest {
    // If it has a user name and password, and `headers` no Authorization, they are sent as basic
    // authentication.
    url::Url url;

    // Whose request it is: failures of one owner's requests do not open the circuit for another's.
    std::string owner{};

    // Added to what is sent. They go along to the same scheme, host and port only, except a few harmless ones
    // such as Accept-Language. An Accept header replaces preferred_content. Conditional headers may bring a
    // Page of status 304.
    std::vector<Header> headers{};

    net::AddressPolicy policy{};
    std::optional<net::HttpLimits> limits{};  // instead of the configured ones

    // Asked, on the client's thread, for every answer of status 2xx that has a body. If it says no the page
    // comes without one.
    std::function<bool(std::string_view content_type)> wants_content{};

    // Asked, on the client's thread, before each redirect is followed. If it says no, the fetch ends with the
    // page that redirects: its status is 3xx, final_url its own URL, and redirect_target() (redirect.h) of
    // its Location header is `next`. Cookies that it set are forgotten, as those of every fetch.
    std::function<bool(const url::Url& next)> may_follow{};

    Retry retry = Retry::configured;

    std::stop_token stop{};
};

// Safe to use from many threads at once.
class Fetcher {
public:
    // Called exactly once, on the client's thread: see net::HttpClient::Callback.
    using Callback = std::move_only_function<void(Result<Page>)>;

    // The client must outlive every fetch. A fetch under way does not need the fetcher any more.
    Fetcher(net::HttpClient& client, FetchConfig config);
    ~Fetcher();

    // A page of any final status, 404 and 503 too, is a success: it is what the server said, after retries.
    // Errors are those of the client, worded "cannot fetch URL: …", and `refused` for redirects that lead
    // nowhere good and `unavailable` for an origin whose circuit breaker is open or that asks for too long a
    // wait.
    void fetch(FetchRequest request, Callback callback);

    // The same, waiting for the result. Any thread but the client's own.
    Result<Page> fetch(FetchRequest request);

    struct Shared;

private:
    // Shared with the fetches under way, which may outlive this object.
    std::shared_ptr<Shared> shared_;
};

}  // namespace quarry::fetch
