// libcurl, with owners for its handles. CurlMulti drives the multi handle by epoll: curl_multi_perform
// visits every transfer each time anything happens; here a wake-up costs what the sockets that caused it
// cost, however many others are open. to_curl_url hands a URL to curl only if curl understands it as we do.
// Two parsers that disagree about a host are a way around every policy (`http://127.0.0.1\@evil/`), and
// curl's differs from the standard's in many places.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <curl/curl.h>

#include "base/result.h"
#include "url/url.h"

namespace quarry::net {

// Owners for curl's C handles.

struct CleanUpEasy {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct CleanUpMulti {
    void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct CleanUpUrl {
    void operator()(CURLU* handle) const { curl_url_cleanup(handle); }
};
struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// To be called before any handle is made; any thread.
void ensure_curl_is_initialised();

using EasyHandle = std::unique_ptr<CURL, CleanUpEasy>;
using MultiHandle = std::unique_ptr<CURLM, CleanUpMulti>;
using UrlHandle = std::unique_ptr<CURLU, CleanUpUrl>;
using HeaderList = std::unique_ptr<curl_slist, FreeList>;

// Hands a URL to curl only if curl understands it as we do. Two parsers that disagree about a host are a way
// around every policy (`http://127.0.0.1\@evil/`), and curl's differs from the standard's in many places.

// Without credentials and fragment. Fails with `invalid_argument` if the scheme is not http or https, or if
// curl reads another scheme, host or port out of it.
Result<UrlHandle> to_curl_url(const url::Url& url);

// libcurl's multi handle, driven by epoll. curl_multi_perform visits every transfer each time anything
// happens; here a wake-up costs what the sockets that caused it cost, however many others are open.

// Belongs to one thread; only wake() may be called from others.
class CurlMulti {
public:
    // `max_connections` are kept open at most, idle ones included. Fails with `unavailable` if the system has
    // no descriptors left.
    static Result<std::unique_ptr<CurlMulti>> open(std::size_t max_connections);
    ~CurlMulti();
    CurlMulti(const CurlMulti&) = delete;
    CurlMulti& operator=(const CurlMulti&) = delete;

    // Once per handle, before it is first added: has curl close the handle's connections through this object.
    void attach(CURL* handle);
    // To be called for every socket that a handle's CURLOPT_OPENSOCKETFUNCTION makes.
    void adopt(int socket);

    void add(CURL* handle);
    void remove(CURL* handle);

    // Lets curl do what is due by its timers, such as beginning what was added.
    void run_timers();

    // Waits until a socket is ready, one of curl's timers is due, somebody calls wake(), or `longest` has
    // passed; then lets curl use the sockets that are ready.
    void wait(std::chrono::milliseconds longest);

    // A transfer that has ended and not been told yet; it is removed.
    struct Ended {
        CURL* handle = nullptr;
        CURLcode code = CURLE_OK;
    };
    std::optional<Ended> next_ended();

    // Ends the current wait(), or the next one if none is under way. Any thread.
    void wake();

private:
    using Clock = std::chrono::steady_clock;
    struct Callbacks;  // the C functions that curl calls

    // Which events of a descriptor curl wants, and which epoll has been told to report.
    struct Watch {
        std::uint32_t wanted = 0;
        std::uint32_t registered = 0;
        std::uint32_t generation = 0;  // how many sockets with this number have been closed
        bool is_connection = false;    // its end will be told through close_socket()
    };

    CurlMulti(MultiHandle multi, int epoll, int wake_event);

    Watch& watch_of(int socket);
    void set_wanted(int socket, std::uint32_t events);
    void unregister(int socket, Watch& watch);
    int close_socket(int socket);
    void set_timer(long timeout_ms);
    void handle_event(std::uint64_t key, std::uint32_t events);
    int milliseconds_to_wait(std::chrono::milliseconds longest) const;

    int epoll_;
    int wake_event_;
    std::vector<Watch> watches_;  // by descriptor
    std::optional<Clock::time_point> timer_;
    MultiHandle multi_;  // goes first: closing its connections calls back
};

}  // namespace quarry::net
