#include "browser/instance.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "net/address.h"
#include "net/http_client.h"
#include "net/websocket.h"

namespace quarry::browser {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds longest_connect{5'000};

std::unexpected<Error> wrong_setting(std::string words) {
    return fail(ErrorCode::invalid_argument, std::move(words));
}

bool is_this_machine(const url::Url& url) {
    const auto address = net::Address::parse(url.host());
    if (address) return net::is_loopback(*address);
    return url.host() == "localhost" || url.host().ends_with(".localhost");
}

milliseconds left_until(Deadline deadline, milliseconds most) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    return std::clamp(left, milliseconds(1), most);
}

Result<void> read_gate(RemoteConfig& config, std::string_view text) {
    const auto colon = text.rfind(':');
    // An address with colons is in brackets, if a port follows it.
    const bool has_port =
        colon != std::string_view::npos && (text.find(':') == colon || (colon > 0 && text[colon - 1] == ']'));
    if (has_port) {
        const std::string_view port = text.substr(colon + 1);
        const auto [end, problem] = std::from_chars(port.data(), port.data() + port.size(), config.gate_port);
        if (problem != std::errc() || end != port.data() + port.size() || config.gate_port == 0)
            return wrong_setting(
                fmt::format("browser.gate has no port \"{}\": it is HOST or HOST:PORT", port));
        text = text.substr(0, colon);
    }
    const auto address = net::Address::parse(text);
    const bool is_any = address && (address->text() == "0.0.0.0" || address->text() == "::");
    if (text.empty() || is_any)
        return wrong_setting(
            "browser.gate has to name the one address at which the browser reaches this machine");
    config.gate_host = text;
    return {};
}

// Only the path of what it says is believed: behind a tunnel or in a container it does not know by which host
// and port it was reached, and where we connect to is not for it to say.
Result<std::string> ask_for_path(const std::string& authority, Deadline deadline) {
    const auto client = TRY(net::HttpClient::open({}));
    net::HttpRequest request{.url = TRY(url::Url::parse(fmt::format("http://{}/json/version", authority))),
                             .policy = {.allow_private = true},  // its own user named it
                             .limits = {.timeout = left_until(deadline, longest_connect * 2),
                                        .connect_timeout = longest_connect,
                                        .body_bytes = 64 * 1024}};
    const net::HttpResponse response = TRY(client->perform(std::move(request)));
    const std::string says = response.status == 200 ? "" : fmt::format(" (HTTP {})", response.status);
    const auto no_browser = [&] {
        return fail(ErrorCode::corrupt, fmt::format("what it answers to /json/version is not what a browser "
                                                    "says that was started with --remote-debugging-port{}",
                                                    says));
    };
    boost::system::error_code problem;
    const boost::json::value answer = boost::json::parse(response.body, problem);
    if (response.status != 200 || problem || !answer.is_object()) return no_browser();
    const auto url = url::Url::parse(text_at(answer.get_object(), "webSocketDebuggerUrl"));
    if (!url || !url->path().starts_with('/')) return no_browser();
    return std::string(url->path());
}

std::string target_of(const url::Url& url) {
    std::string target(url.path());
    if (const auto query = url.query()) target += fmt::format("?{}", *query);
    return target;
}

Result<RemoteBrowser> connect(const RemoteConfig& config) {
    const url::Url& url = config.url;
    const Deadline deadline = Clock::now() + config.timeout;
    net::Dialled dialled =
        TRY(net::dial(std::string(url.host()), url.effective_port(), left_until(deadline, longest_connect)));
    // By its address: Chromium answers nobody who knows it by a name, lest a page's name should lead to it.
    const std::string address =
        dialled.peer.is_v4() ? dialled.peer.text() : fmt::format("[{}]", dialled.peer.text());
    const std::string authority = fmt::format("{}:{}", address, url.effective_port());
    const bool is_asked = url.scheme() == "http";
    const std::string target = is_asked ? TRY(ask_for_path(authority, deadline)) : target_of(url);
    auto opened = net::begin_websocket(dialled.socket, {.host = authority, .target = target}, deadline);
    if (!opened && !is_asked && opened.error().message.ends_with("404"))
        opened.error().message += fmt::format(
            ": there is no such browser any more; http://{}:{} would find the one that is there now",
            url.host(), url.effective_port());
    TRY(opened);

    RemoteBrowser browser{.address = dialled.peer};
    browser.devtools =
        std::make_unique<DevTools>(websocket_wire(std::move(dialled.socket)),
                                   fmt::format("lost the browser at {}", url.without_credentials()));
    const auto version = TRY(browser.devtools->call("Browser.getVersion", {}, "", deadline));
    browser.product = text_at(version, "product");
    browser.user_agent = text_at(version, "userAgent");
    if (browser.product.empty()) return fail(ErrorCode::corrupt, "it does not say which browser it is");
    return browser;
}

}  // namespace

Result<RemoteConfig> RemoteConfig::parse(const std::string& text, const std::string& gate) {
    constexpr std::string_view forms = "http://HOST:PORT or ws://HOST:PORT/devtools/browser/ID";
    const auto url = url::Url::parse(text);
    if (!url || url->host().empty())
        return wrong_setting(fmt::format("browser.remote_url is {}, and not \"{}\"", forms, text));
    if (url->scheme() == "wss" || url->scheme() == "https")
        return fail(ErrorCode::unsupported,
                    fmt::format("browser.remote_url is {}: no browser listens with TLS, so lead to it "
                                "through a tunnel (ssh -L, WireGuard) and name the tunnel's end",
                                forms));
    const bool is_http = url->scheme() == "http";
    if (!is_http && url->scheme() != "ws")
        return wrong_setting(
            fmt::format("browser.remote_url is {}, and not of kind \"{}\"", forms, url->scheme()));
    if (!url->username().empty() || !url->password().empty())
        return wrong_setting("browser.remote_url has no user and password: browsers ask for none");
    if (is_http && (url->path() != "/" || url->query()))
        return wrong_setting("browser.remote_url with http has no path: the browser itself says where it is");
    RemoteConfig config{.url = *url};
    if (!gate.empty()) TRY(read_gate(config, gate));
    if (gate.empty() && !is_this_machine(*url))
        return wrong_setting(fmt::format(
            "with a browser at {}, browser.gate has to name the address at which it reaches this machine: "
            "all requests of its pages come here, to be checked",
            url->host()));
    return config;
}

Result<RemoteBrowser> connect_to_browser(const RemoteConfig& config) {
    auto browser = connect(config);
    if (!browser) {
        Error& error = browser.error();
        error.message = fmt::format("cannot use the browser at {}: {}", config.url.href(), error.message);
        // Whatever it is, no page is at fault.
        if (error.code != ErrorCode::timeout) error.code = ErrorCode::unavailable;
    }
    return browser;
}

namespace {

struct Endpoint {
    sockaddr_storage address{};
    socklen_t size = sizeof(sockaddr_storage);

    sockaddr* any() { return reinterpret_cast<sockaddr*>(&address); }
    bool is_v6() const { return address.ss_family == AF_INET6; }
    // At the same place in both kinds.
    in_port_t& port() { return reinterpret_cast<sockaddr_in*>(&address)->sin_port; }
};

std::unexpected<Error> no_place(std::string_view host, std::string_view why) {
    return fail(ErrorCode::unavailable,
                fmt::format("cannot listen on {} for the browser's requests: {}; browser.gate has to name an "
                            "address of this machine",
                            host, why));
}

Result<Endpoint> look_up(const std::string& host) {
    std::string name = host;
    if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (const int problem = getaddrinfo(name.c_str(), nullptr, &wanted, &found); problem != 0)
        return no_place(host, gai_strerror(problem));
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
    Endpoint endpoint{.size = found->ai_addrlen};
    std::memcpy(&endpoint.address, found->ai_addr, found->ai_addrlen);
    return endpoint;
}

Result<Descriptor> listen_at(Endpoint& endpoint, const std::string& host) {
    Descriptor socket(::socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // Connections of pages that are over would keep the port from the next lanes for a minute.
    const int yes = 1;
    setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const bool is_listening = socket.is_open() && bind(socket.get(), endpoint.any(), endpoint.size) == 0 &&
                              ::listen(socket.get(), 256) == 0;
    if (!is_listening && errno == EADDRINUSE)
        return fail(ErrorCode::unavailable,
                    fmt::format("port {} of {} is taken: another quarry may have it; without a port, "
                                "browser.gate takes those that are free",
                                ntohs(endpoint.port()), host));
    if (!is_listening) return no_place(host, std::strerror(errno));
    getsockname(socket.get(), endpoint.any(), &endpoint.size);
    return socket;
}

}  // namespace

Result<void> Lanes::listen(const Place& place) {
    const Endpoint first = TRY(look_up(place.host));
    for (int i = 0; i < place.lanes; ++i) {
        Endpoint endpoint = first;
        const int port = place.first_port == 0 ? 0 : place.first_port + i;
        if (port > 0xffff)
            return fail(ErrorCode::unavailable,
                        fmt::format("browser.gate needs {} ports from {} on", place.lanes, place.first_port));
        endpoint.port() = htons(static_cast<in_port_t>(port));
        Descriptor listener = TRY(listen_at(endpoint, place.host));
        const auto address = net::Address::from_sockaddr(endpoint.any());
        if (!address) return no_place(place.host, "it is of an unknown kind");
        const std::string text = endpoint.is_v6() ? fmt::format("[{}]", address->text()) : address->text();
        add(std::move(listener), text, ntohs(endpoint.port()));
    }
    return {};
}

void Lanes::add(Descriptor listener, const std::string& address, std::uint16_t port) {
    free_.push_back({gate_.add(std::move(listener)), fmt::format("http://{}:{}", address, port)});
}

Lane Lanes::take() {
    Lane lane = std::move(free_.back());
    free_.pop_back();
    return lane;
}

namespace {

constexpr std::chrono::seconds start_timeout{20};

// A browser without a screen says so, and some servers answer it with nothing. What it renders is the same.
std::string without_headless(std::string user_agent) {
    constexpr std::string_view word = "HeadlessChrome";
    if (const auto at = user_agent.find(word); at != std::string::npos)
        user_agent.replace(at, word.size(), "Chrome");
    return user_agent;
}

std::unexpected<Error> silent(const Error& error, const Chromium& process) {
    const std::string words = process.last_words();
    const bool is_sandbox = words.contains("sandbox");
    return fail(is_sandbox ? ErrorCode::refused : ErrorCode::unavailable,
                fmt::format("cannot start the browser: {}{}", error.message,
                            words.empty() ? "" : fmt::format(" ({})", words)));
}

}  // namespace

Result<std::unique_ptr<Instance>> Instance::start(const ChromiumConfig& config) {
    auto instance = std::unique_ptr<Instance>(new Instance);
    instance->process_ = TRY(Chromium::start(config));
    Chromium& process = *instance->process_;
    instance->lanes_ = std::make_shared<Lanes>();
    for (Chromium::Listener& listener : process.take_listeners())
        instance->lanes_->add(std::move(listener.socket), "127.0.0.1", listener.port);
    instance->devtools_ = std::make_unique<DevTools>(pipe_wire(process.take_input(), process.take_output()));
    const auto version = instance->devtools_->call("Browser.getVersion", {}, "",
                                                   std::chrono::steady_clock::now() + start_timeout);
    if (!version) return silent(version.error(), process);
    instance->user_agent_ = without_headless(std::string(text_at(*version, "userAgent")));
    return instance;
}

Result<std::unique_ptr<Instance>> Instance::connect(const RemoteConfig& config,
                                                    std::shared_ptr<Lanes> lanes) {
    RemoteBrowser browser = TRY(connect_to_browser(config));
    auto instance = std::unique_ptr<Instance>(new Instance);
    instance->lanes_ = std::move(lanes);
    instance->address_ = browser.address;
    instance->user_agent_ = without_headless(std::move(browser.user_agent));
    instance->devtools_ = std::move(browser.devtools);
    return instance;
}

}  // namespace quarry::browser
