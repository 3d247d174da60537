#include "net/curl.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "net/address.h"

namespace quarry::net {

namespace {

struct FreeText {
    void operator()(char* text) const { curl_free(text); }
};
using CurlText = std::unique_ptr<char, FreeText>;

// Nothing if the URL has no such part.
CurlText part_of(CURLU* handle, CURLUPart part) {
    char* text = nullptr;
    return CurlText(curl_url_get(handle, part, &text, 0) == CURLUE_OK ? text : nullptr);
}

// IPv6 addresses have several spellings; names and IPv4 addresses, once normalised, have one.
bool is_same_host(std::string_view ours, std::string_view theirs) {
    if (ours == theirs) return true;
    const auto our_address = Address::parse(ours);
    return our_address && our_address == Address::parse(theirs);
}

// A normalised URL names no port that its scheme implies.
bool is_same_port(std::optional<std::uint16_t> ours, const CurlText& theirs) {
    if (!ours || !theirs) return !ours && !theirs;
    return theirs.get() == std::to_string(*ours);
}

bool is_understood(const url::Url& url, CURLU* handle) {
    const CurlText scheme = part_of(handle, CURLUPART_SCHEME);
    const CurlText host = part_of(handle, CURLUPART_HOST);
    return scheme && scheme.get() == url.scheme() && host && is_same_host(url.host(), host.get()) &&
           is_same_port(url.port(), part_of(handle, CURLUPART_PORT));
}

}  // namespace

Result<UrlHandle> to_curl_url(const url::Url& url) {
    if (!url.is_http())
        return fail(ErrorCode::invalid_argument,
                    fmt::format("only http and https URLs can be fetched, not {}:", url.scheme()));
    UrlHandle handle(curl_url());
    const std::string text = url.without_credentials();
    const CURLUcode code = curl_url_set(handle.get(), CURLUPART_URL, text.c_str(), CURLU_PATH_AS_IS);
    const bool is_agreed = code == CURLUE_OK && is_understood(url, handle.get());
    if (!is_agreed)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" is not a host that can be looked up", url.host()));
    if (url.fragment()) curl_url_set(handle.get(), CURLUPART_FRAGMENT, nullptr, 0);
    return handle;
}

namespace {

std::uint32_t events_of(int what) {
    switch (what) {
        case CURL_POLL_IN: return EPOLLIN;
        case CURL_POLL_OUT: return EPOLLOUT;
        case CURL_POLL_INOUT: return EPOLLIN | EPOLLOUT;
        default: return 0;
    }
}

// An error is something to read as well: reading tells which.
int action_of(std::uint32_t events) {
    int action = 0;
    if (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) action |= CURL_CSELECT_IN;
    if (events & EPOLLOUT) action |= CURL_CSELECT_OUT;
    return action;
}

// What an event carries: the descriptor, and which of the sockets that ever had this number it is about.
std::uint64_t key_of(int socket, std::uint32_t generation) {
    return std::uint64_t{generation} << 32 | static_cast<std::uint32_t>(socket);
}

}  // namespace

struct CurlMulti::Callbacks {
    static int socket(CURL*, curl_socket_t socket, int what, void* self, void*) {
        static_cast<CurlMulti*>(self)->set_wanted(socket, events_of(what));
        return 0;
    }
    static int timer(CURLM*, long timeout_ms, void* self) {
        static_cast<CurlMulti*>(self)->set_timer(timeout_ms);
        return 0;
    }
    static int close_socket(void* self, curl_socket_t socket) {
        return static_cast<CurlMulti*>(self)->close_socket(socket);
    }
};

Result<std::unique_ptr<CurlMulti>> CurlMulti::open(std::size_t max_connections) {
    MultiHandle multi(curl_multi_init());
    const int epoll = epoll_create1(EPOLL_CLOEXEC);
    const int wake_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    std::unique_ptr<CurlMulti> opened(new CurlMulti(std::move(multi), epoll, wake_event));
    epoll_event event{.events = EPOLLIN, .data = {.u64 = key_of(wake_event, 0)}};
    if (!opened->multi_ || epoll_ctl(epoll, EPOLL_CTL_ADD, wake_event, &event) != 0)
        return fail(ErrorCode::unavailable, "curl could not be started");
    // Left alone, curl ties this to the number of live transfers and throws connections away when that falls.
    curl_multi_setopt(opened->multi_.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(max_connections));
    curl_multi_setopt(opened->multi_.get(), CURLMOPT_SOCKETFUNCTION, &Callbacks::socket);
    curl_multi_setopt(opened->multi_.get(), CURLMOPT_SOCKETDATA, opened.get());
    curl_multi_setopt(opened->multi_.get(), CURLMOPT_TIMERFUNCTION, &Callbacks::timer);
    curl_multi_setopt(opened->multi_.get(), CURLMOPT_TIMERDATA, opened.get());
    return opened;
}

CurlMulti::CurlMulti(MultiHandle multi, int epoll, int wake_event)
    : epoll_(epoll), wake_event_(wake_event), multi_(std::move(multi)) {}

CurlMulti::~CurlMulti() {
    multi_.reset();
    if (wake_event_ >= 0) close(wake_event_);
    if (epoll_ >= 0) close(epoll_);
}

void CurlMulti::add(CURL* handle) {
    curl_multi_add_handle(multi_.get(), handle);
}

void CurlMulti::remove(CURL* handle) {
    curl_multi_remove_handle(multi_.get(), handle);
}

void CurlMulti::attach(CURL* handle) {
    curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, &Callbacks::close_socket);
    curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, this);
}

CurlMulti::Watch& CurlMulti::watch_of(int socket) {
    const auto index = static_cast<std::size_t>(socket);
    if (index >= watches_.size()) watches_.resize(index + 1);
    return watches_[index];
}

void CurlMulti::adopt(int socket) {
    watch_of(socket).is_connection = true;
}

// A connection that goes idle stays registered with epoll: the next request will want the same events again,
// and two system calls are saved. If something happens on it while it is idle, it is unregistered then.
void CurlMulti::set_wanted(int socket, std::uint32_t events) {
    Watch& watch = watch_of(socket);
    watch.wanted = events;
    if (events == watch.registered) return;
    if (events == 0) {
        // Any other descriptor may be closed next without a word, such as the pipe of a lookup.
        if (!watch.is_connection) unregister(socket, watch);
        return;
    }
    epoll_event event{.events = events, .data = {.u64 = key_of(socket, watch.generation)}};
    const int operation = watch.registered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (epoll_ctl(epoll_, operation, socket, &event) == 0) watch.registered = events;
}

void CurlMulti::unregister(int socket, Watch& watch) {
    if (watch.registered) epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);
    watch.registered = 0;
}

// Closing takes the descriptor out of epoll.
int CurlMulti::close_socket(int socket) {
    Watch& watch = watch_of(socket);
    watch = {.generation = watch.generation + 1};
    return close(socket);
}

void CurlMulti::set_timer(long timeout_ms) {
    if (timeout_ms < 0)
        timer_.reset();
    else
        timer_ = Clock::now() + std::chrono::milliseconds(timeout_ms);
}

void CurlMulti::wait(std::chrono::milliseconds longest) {
    std::array<epoll_event, 64> events;
    const int count =
        epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), milliseconds_to_wait(longest));
    for (int i = 0; i < count; ++i) handle_event(events[i].data.u64, events[i].events);
}

int CurlMulti::milliseconds_to_wait(std::chrono::milliseconds longest) const {
    using std::chrono::milliseconds;
    if (timer_) longest = std::min(longest, std::chrono::ceil<milliseconds>(*timer_ - Clock::now()));
    return static_cast<int>(std::max(longest, milliseconds(0)).count());
}

void CurlMulti::run_timers() {
    if (!timer_ || *timer_ > Clock::now()) return;
    timer_.reset();  // curl sets it again, also if this was too early.
    int running = 0;
    curl_multi_socket_action(multi_.get(), CURL_SOCKET_TIMEOUT, 0, &running);
}

void CurlMulti::handle_event(std::uint64_t key, std::uint32_t events) {
    const auto socket = static_cast<int>(key & 0xffff'ffff);
    if (socket == wake_event_) {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto read_bytes = read(wake_event_, &count, sizeof count);
        return;
    }
    Watch& watch = watch_of(socket);
    if (key != key_of(socket, watch.generation)) return;  // Closed by an event before this one.
    if (watch.wanted == 0) return unregister(socket, watch);
    int running = 0;
    curl_multi_socket_action(multi_.get(), socket, action_of(events), &running);
}

std::optional<CurlMulti::Ended> CurlMulti::next_ended() {
    int left = 0;
    const CURLMsg* message = curl_multi_info_read(multi_.get(), &left);
    if (!message) return std::nullopt;
    const Ended ended{.handle = message->easy_handle, .code = message->data.result};
    remove(ended.handle);  // The message is gone after this.
    return ended;
}

void CurlMulti::wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written_bytes = write(wake_event_, &one, sizeof one);
}

}  // namespace quarry::net
