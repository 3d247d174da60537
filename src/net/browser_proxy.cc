// What happens inside the proxy: the session of one page, and the connections that it makes. Internal to
// BrowserProxy; used on its thread only.
#include "net/browser_proxy.h"

#include <array>
#include <cstring>
#include <future>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <netdb.h>

#include "base/threads.h"
#include "net/address.h"
#include "net/proxy_request.h"
#include "net/wording.h"

namespace quarry::net {

namespace asio = boost::asio;

using ProxySocket = boost::asio::ip::tcp::socket;
using ProxyEndpoint = boost::asio::ip::tcp::endpoint;
template <typename T = void>
using ProxyTask = boost::asio::awaitable<T>;

// Addresses of names, remembered for a minute: a page asks for the same ones again and again.
class ResolvedNames {
public:
    // Not in the order of arrival. Fails with `not_found`.
    ProxyTask<Result<std::vector<ProxyEndpoint>>> find(std::string host, std::uint16_t port);

private:
    struct Known {
        std::vector<boost::asio::ip::address> addresses{};
        std::chrono::steady_clock::time_point until{};
    };
    std::unordered_map<std::string, Known> known_;
    boost::asio::thread_pool lookups_{4};
};

// From open() to close() of a lane.
struct ProxySession {
    ProxyPolicy pass{};
    ProxyStats tally{};
    bool is_over = false;
    std::set<ProxySocket*> sockets{};

    void end();
    // Counts, and ends the session when it was too much. False if nothing more may pass.
    bool count(std::size_t bytes);
    void note(const std::string& place, const Error& error);
};

// Serves one connection of the browser to its end.
ProxyTask<> serve_connection(ProxySocket browser, std::shared_ptr<ProxySession> visit, ResolvedNames& names);

namespace {

asio::ip::tcp protocol_of(const Descriptor& listener) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
    return address.ss_family == AF_INET6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4();
}

std::optional<Address> address_of(const ProxyEndpoint& endpoint) {
    return Address::from_sockaddr(reinterpret_cast<const sockaddr*>(endpoint.data()));
}

bool is_let_in(const ProxyPolicy& pass, const ProxySocket& visitor) {
    if (!pass.browser) return true;
    boost::system::error_code problem;
    const ProxyEndpoint endpoint = visitor.remote_endpoint(problem);
    const auto address = problem ? std::nullopt : address_of(endpoint);
    if (!address) return false;
    return *address == *pass.browser || (is_loopback(*address) && is_loopback(*pass.browser));
}

}  // namespace

class BrowserProxy::Impl {
private:
    struct LaneState {
        LaneState() { visit->is_over = true; }
        std::shared_ptr<ProxySession> visit =
            std::make_shared<ProxySession>();  // its connections hold it, too
    };

    template <typename Do>
    auto on_thread(Do&& what) {
        std::promise<decltype(what())> done;
        auto result = done.get_future();
        asio::post(io_, [&what, done = std::move(done)]() mutable { done.set_value(what()); });
        return result.get();
    }

public:
    Impl()
        : thread_([this] {
              name_this_thread("gate");
              io_.run();
          }) {}
    ~Impl() {
        io_.stop();
        thread_.join();
    }

    Lane add(Descriptor listener) {
        return on_thread([&] {
            lanes_.push_back(std::make_unique<LaneState>());
            const auto protocol = protocol_of(listener);
            asio::ip::tcp::acceptor acceptor(io_, protocol, listener.release());
            asio::co_spawn(io_, accept(std::move(acceptor), *lanes_.back()), asio::detached);
            return lanes_.size() - 1;
        });
    }
    void open(Lane lane, ProxyPolicy pass) {
        on_thread([&] {
            lanes_[lane]->visit->end();
            lanes_[lane]->visit = std::make_shared<ProxySession>(ProxySession{.pass = std::move(pass)});
            return 0;
        });
    }
    ProxyStats tally(Lane lane) {
        return on_thread([&] { return lanes_[lane]->visit->tally; });
    }
    ProxyStats close(Lane lane) {
        return on_thread([&] {
            lanes_[lane]->visit->end();
            return lanes_[lane]->visit->tally;
        });
    }

private:
    ProxyTask<> accept(asio::ip::tcp::acceptor acceptor, LaneState& lane) {
        asio::steady_timer breath(io_);
        for (;;) {
            boost::system::error_code problem;
            ProxySocket socket =
                co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, problem));
            if (problem == asio::error::operation_aborted) co_return;
            if (problem) {  // no descriptors left: others will end
                breath.expires_after(std::chrono::milliseconds(50));
                co_await breath.async_wait(asio::redirect_error(asio::use_awaitable, problem));
                continue;
            }
            if (lane.visit->is_over) continue;
            if (!is_let_in(lane.visit->pass, socket)) {
                ++lane.visit->tally.rejected_peers;
                continue;
            }
            socket.set_option(asio::ip::tcp::no_delay(true), problem);
            asio::co_spawn(io_, serve_connection(std::move(socket), lane.visit, names_), asio::detached);
        }
    }

    asio::io_context io_{1};  // goes last: threads that look names up post their results to it
    asio::executor_work_guard<asio::io_context::executor_type> stay_ = asio::make_work_guard(io_);
    ResolvedNames names_;
    std::vector<std::unique_ptr<LaneState>> lanes_;
    std::jthread thread_;
};

BrowserProxy::BrowserProxy() : impl_(std::make_unique<Impl>()) {}
BrowserProxy::~BrowserProxy() = default;
BrowserProxy::Lane BrowserProxy::add(Descriptor listener) {
    return impl_->add(std::move(listener));
}
void BrowserProxy::open(Lane lane, ProxyPolicy pass) {
    impl_->open(lane, std::move(pass));
}
ProxyStats BrowserProxy::tally(Lane lane) {
    return impl_->tally(lane);
}
ProxyStats BrowserProxy::close(Lane lane) {
    return impl_->close(lane);
}

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t max_head_bytes = 256 * 1024;
constexpr std::size_t most_failures = 100;
constexpr std::size_t most_names = 4'096;
constexpr std::chrono::seconds names_are_known_for{60};
constexpr std::chrono::milliseconds patience_with_one_address{3'000};

// Keeps the session's list of open sockets up to date.
class Entry {
public:
    Entry(ProxySession& visit, ProxySocket& socket) : visit_(visit), socket_(socket) {
        visit_.sockets.insert(&socket_);
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() { visit_.sockets.erase(&socket_); }

private:
    ProxySession& visit_;
    ProxySocket& socket_;
};

void cut(ProxySocket& socket) {
    error_code ignored;
    socket.close(ignored);
}

Result<std::vector<asio::ip::address>> look_up(const std::string& host) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = AI_ADDRCONFIG;
    addrinfo* found = nullptr;
    std::string name = host;
    if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
    const int problem = getaddrinfo(name.c_str(), nullptr, &wanted, &found);
    if (problem != 0) {
        const bool may_pass = problem == EAI_AGAIN || problem == EAI_SYSTEM;
        return fail(may_pass ? ErrorCode::unavailable : ErrorCode::not_found,
                    fmt::format("cannot resolve {}: {}", host, gai_strerror(problem)));
    }
    std::vector<asio::ip::address> addresses;
    for (const addrinfo* one = found; one; one = one->ai_next) {
        ProxyEndpoint endpoint;
        if (one->ai_addrlen > endpoint.capacity()) continue;
        std::memcpy(endpoint.data(), one->ai_addr, one->ai_addrlen);
        endpoint.resize(one->ai_addrlen);
        addresses.push_back(endpoint.address());
    }
    freeaddrinfo(found);
    return addresses;
}

// Named, because g++ 12 destroys what a lambda in a co_await has captured twice.
ProxyTask<Result<std::vector<asio::ip::address>>> look_up_elsewhere(std::string host) {
    co_return look_up(host);
}

Result<void> check(const AddressPolicy& policy, const ProxyEndpoint& endpoint) {
    const auto address = Address::from_sockaddr(reinterpret_cast<const sockaddr*>(endpoint.data()));
    if (!address) return fail(ErrorCode::refused, "refused: an address of an unknown kind");
    return policy.check(*address);
}

ProxyTask<Result<void>> connect(ProxySocket& server, const ProxyEndpoint& endpoint,
                                std::chrono::milliseconds patience) {
    error_code problem;
    server.close(problem);
    bool is_late = false;
    asio::steady_timer timer(server.get_executor(), patience);
    timer.async_wait([&](const error_code& stopped) {
        if (stopped) return;
        is_late = true;
        cut(server);
    });
    co_await server.async_connect(endpoint, asio::redirect_error(asio::use_awaitable, problem));
    // The handler above refers to locals that are about to end: it must have run, or be known not to run.
    const bool has_fired = timer.cancel() == 0;
    if (has_fired && !is_late) co_await asio::post(server.get_executor(), asio::use_awaitable);
    if (is_late)
        co_return fail(ErrorCode::timeout, fmt::format("cannot connect to {} in {}",
                                                       endpoint.address().to_string(), in_words(patience)));
    if (problem)
        co_return fail(
            ErrorCode::unavailable,
            fmt::format("cannot connect to {}: {}", endpoint.address().to_string(), problem.message()));
    server.set_option(asio::ip::tcp::no_delay(true), problem);
    co_return Result<void>{};
}

// Tries one address after the other. A name with any forbidden address is refused as a whole: otherwise the
// owner of the name would choose which address is tried.
ProxyTask<Result<void>> connect_to(ProxySocket& server, const ProxyRequest& request, ProxySession& visit,
                                   ResolvedNames& names) {
    auto endpoints = co_await names.find(request.host, request.port);
    if (!endpoints) co_return std::unexpected(endpoints.error());
    for (const ProxyEndpoint& endpoint : *endpoints) {
        if (auto allowed = check(visit.pass.policy, endpoint); !allowed) {
            ++visit.tally.refused;
            co_return allowed;
        }
    }
    const auto deadline = std::chrono::steady_clock::now() + visit.pass.limits.connect_timeout;
    Result<void> connected = fail(ErrorCode::not_found, "no address");
    for (std::size_t i = 0; i < endpoints->size() && !visit.is_over; ++i) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0) break;
        const bool is_last = i + 1 == endpoints->size();
        connected = co_await connect(server, (*endpoints)[i],
                                     is_last ? left : std::min(left, patience_with_one_address));
        if (connected) break;
    }
    co_return connected;
}

// Relays until one side has nothing more to say. Bytes beyond `most` are dropped.
ProxyTask<> relay(ProxySocket& from, ProxySocket& to, ProxySession& visit, std::uint64_t most) {
    std::array<char, 32 * 1024> buffer;
    error_code problem;
    for (;;) {
        const std::size_t got = co_await from.async_read_some(
            asio::buffer(buffer), asio::redirect_error(asio::use_awaitable, problem));
        if (problem || !visit.count(got)) break;
        const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(got, most));
        most -= wanted;
        co_await asio::async_write(to, asio::buffer(buffer, wanted),
                                   asio::redirect_error(asio::use_awaitable, problem));
        if (problem) break;
    }
    if (problem == asio::error::eof) {
        to.shutdown(asio::socket_base::shutdown_send, problem);
    } else {
        cut(from);
        cut(to);
    }
}

// Reads until a head is complete. The beginning of what follows it is then in `text`, too. 0 if the head is
// never complete.
ProxyTask<std::size_t> read_head(ProxySocket& from, std::string& text, ProxySession& visit) {
    std::array<char, 8 * 1024> buffer;
    error_code problem;
    for (;;) {
        if (const std::size_t end = end_of_head(text); end > 0) co_return end;
        if (text.size() > max_head_bytes) co_return 0;
        const std::size_t got = co_await from.async_read_some(
            asio::buffer(buffer), asio::redirect_error(asio::use_awaitable, problem));
        if (problem || !visit.count(got)) co_return 0;
        text.append(buffer.data(), got);
    }
}

// Relays the server's answer, with a head that is written anew.
ProxyTask<> relay_answer(ProxySocket& server, ProxySocket& browser, ProxySession& visit) {
    std::string text;
    error_code problem;
    bool is_interim = true;
    while (is_interim) {
        const std::size_t end = co_await read_head(server, text, visit);
        const auto answer = parse_proxy_response(std::string_view(text).substr(0, end));
        if (end == 0 || !answer) {
            cut(server);
            cut(browser);
            co_return;
        }
        is_interim = answer->is_interim;
        text.erase(0, end);
        const std::string first = answer->head + (is_interim ? std::string() : std::move(text));
        co_await asio::async_write(browser, asio::buffer(first),
                                   asio::redirect_error(asio::use_awaitable, problem));
        if (problem) break;
    }
    co_await relay(server, browser, visit, std::numeric_limits<std::uint64_t>::max());
}

// RFC 9209 tells the browser, and quarry, that the proxy itself answered.
std::string refusal(const Error& error) {
    const bool is_policy = error.code == ErrorCode::refused;
    const bool is_time = error.code == ErrorCode::timeout;
    const std::string body = error.message + "\n";
    return fmt::format(
        "HTTP/1.1 {}\r\nProxy-Status: quarry; error={}\r\nContent-Type: text/plain\r\n"
        "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
        is_policy ? "403 Forbidden"
        : is_time ? "504 Gateway Timeout"
                  : "502 Bad Gateway",
        is_policy ? "destination_ip_prohibited"
        : is_time ? "connection_timeout"
                  : "destination_unavailable",
        body.size(), body);
}

ProxyTask<> answer(ProxySocket& browser, const std::string& text) {
    error_code problem;
    co_await asio::async_write(browser, asio::buffer(text),
                               asio::redirect_error(asio::use_awaitable, problem));
    browser.shutdown(asio::socket_base::shutdown_both, problem);
}

}  // namespace

void ProxySession::end() {
    is_over = true;
    for (ProxySocket* socket : sockets) cut(*socket);
}

bool ProxySession::count(std::size_t bytes) {
    tally.bytes += bytes;
    if (tally.bytes > pass.limits.bytes && !is_over) {
        tally.is_used_up = true;
        end();
    }
    return !is_over;
}

void ProxySession::note(const std::string& place, const Error& error) {
    if (tally.failures.size() < most_failures) tally.failures.emplace(place, error);
}

ProxyTask<Result<std::vector<ProxyEndpoint>>> ResolvedNames::find(std::string host, std::uint16_t port) {
    const auto now = std::chrono::steady_clock::now();
    auto known = known_.find(host);
    if (known == known_.end() || known->second.until < now) {
        auto lookup = look_up_elsewhere(host);
        auto addresses = co_await asio::co_spawn(lookups_, std::move(lookup), asio::use_awaitable);
        if (!addresses) co_return std::unexpected(addresses.error());
        if (known_.size() >= most_names) known_.clear();
        known = known_.insert_or_assign(host, Known{*std::move(addresses), now + names_are_known_for}).first;
    }
    std::vector<ProxyEndpoint> endpoints;
    for (const auto& address : known->second.addresses) endpoints.emplace_back(address, port);
    co_return endpoints;
}

ProxyTask<> serve_connection(ProxySocket browser, std::shared_ptr<ProxySession> visit, ResolvedNames& names) {
    using namespace asio::experimental::awaitable_operators;
    const Entry browser_entry(*visit, browser);
    const bool is_too_much = ++visit->tally.connections > visit->pass.limits.connections;
    if (is_too_much) visit->tally.is_used_up = true;
    if (is_too_much || visit->sockets.size() > 2 * visit->pass.limits.connections_at_once) co_return;

    error_code problem;
    std::string text;
    const std::size_t head_bytes = co_await read_head(browser, text, *visit);
    if (head_bytes == 0) co_return;
    const auto request = parse_proxy_request(std::string_view(text).substr(0, head_bytes));
    if (!request) {
        const std::string words = refusal(request.error());
        co_await answer(browser, words);
        co_return;
    }
    ProxySocket server(browser.get_executor());
    const Entry server_entry(*visit, server);
    const auto connected = co_await connect_to(server, *request, *visit, names);
    if (visit->is_over) co_return;
    if (!connected) {
        visit->note(fmt::format("{}:{}", request->host, request->port), connected.error());
        const std::string words = refusal(connected.error());
        co_await answer(browser, words);
        co_return;
    }
    constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    std::string first = text.substr(head_bytes);
    if (request->kind == ProxyRequestKind::tunnel) {
        co_await asio::async_write(browser, asio::buffer(std::string_view("HTTP/1.1 200 OK\r\n\r\n")),
                                   asio::redirect_error(asio::use_awaitable, problem));
        if (!problem && !first.empty())
            co_await asio::async_write(server, asio::buffer(first),
                                       asio::redirect_error(asio::use_awaitable, problem));
        if (problem) co_return;
        co_await (relay(browser, server, *visit, all) && relay(server, browser, *visit, all));
        co_return;
    }
    first.resize(static_cast<std::size_t>(std::min<std::uint64_t>(first.size(), request->body_bytes)));
    const std::uint64_t rest = request->body_bytes == all ? all : request->body_bytes - first.size();
    first.insert(0, request->head);
    co_await asio::async_write(server, asio::buffer(first),
                               asio::redirect_error(asio::use_awaitable, problem));
    if (problem) co_return;
    co_await (relay(browser, server, *visit, rest) && relay_answer(server, browser, *visit));
}

}  // namespace quarry::net
