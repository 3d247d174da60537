// A running browser with all that belongs to it: the process, if it is ours, the connection to it, and the
// proxy that its pages go out through, with one listener for each page that may be open at once. A remote
// browser was started by somebody else, who has let us use it: its port for DevTools is known, and nothing
// else of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptors.h"
#include "base/result.h"
#include "browser/chromium.h"
#include "browser/devtools.h"
#include "net/address.h"
#include "net/browser_proxy.h"
#include "url/url.h"

namespace quarry::browser {

// A browser that runs elsewhere and was started by somebody else, who has let us use it: its port for
// DevTools is known, and nothing else of it.

struct RemoteConfig {
    // http://HOST:PORT, where the way to the browser is asked for each time, so that it may be another one;
    // or ws://HOST:PORT/devtools/browser/ID, which is the way to one run of one browser.
    url::Url url{};

    // Where its pages' requests come to: an address of this machine that it can reach, and the first of as
    // many ports as pages may be open at once; 0 means any that are free.
    std::string gate_host = "127.0.0.1";
    std::uint16_t gate_port = 0;

    std::chrono::milliseconds timeout{15'000};  // until it has said who it is

    // Reads the settings: "http://10.0.0.7:9222" and "10.0.0.5:9300", "10.0.0.5" or "". Fails with
    // `invalid_argument` if they make no sense, or if the gate has to be named and is not; with `unsupported`
    // for wss and https.
    static Result<RemoteConfig> parse(const std::string& url, const std::string& gate);
};

struct RemoteBrowser {
    std::unique_ptr<DevTools> devtools{};
    net::Address address{};
    std::string product{};     // "HeadlessChrome/156.0.0.0"
    std::string user_agent{};  // as it names itself
};

// Fails with `unavailable` or `timeout` if there is nobody, or nobody who is a browser.
Result<RemoteBrowser> connect_to_browser(const RemoteConfig& config);

// The gate that the pages of browsers go out through, with one lane for each page that may be open at once.

struct Lane {
    net::BrowserProxy::Lane number = 0;
    std::string proxy{};  // as the browser is told
};

// Which lanes are free is kept by one thread at a time.
class Lanes {
public:
    Lanes() = default;
    Lanes(const Lanes&) = delete;
    Lanes& operator=(const Lanes&) = delete;

    // Listens for a browser elsewhere, on an address of this machine that it can reach: a name or an address.
    // The lanes have the ports from `first_port` on; 0 means any that are free. Fails with `unavailable` if
    // that is no address of this machine's, or a port is taken.
    struct Place {
        std::string host{};
        std::uint16_t first_port = 0;
        int lanes = 1;
    };
    Result<void> listen(const Place& place);

    // `address` is what a browser has to write for the listener's host.
    void add(Descriptor listener, const std::string& address, std::uint16_t port);

    bool has_free() const { return !free_.empty(); }
    Lane take();
    void give_back(Lane lane) { free_.push_back(std::move(lane)); }

    net::BrowserProxy& gate() { return gate_; }

private:
    net::BrowserProxy gate_;
    std::vector<Lane> free_;
};

// A running browser with all that belongs to it: the process, if it is ours, the connection to it, and the
// gate that its pages go out through.

class Instance {
public:
    // A process of our own, with lanes of its own.
    static Result<std::unique_ptr<Instance>> start(const ChromiumConfig& config);
    // One elsewhere, which is only connected to. The lanes are shared: they have ports that may be fixed, and
    // pages of a former connection may still be on theirs.
    static Result<std::unique_ptr<Instance>> connect(const RemoteConfig& config,
                                                     std::shared_ptr<Lanes> lanes);
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    DevTools& devtools() { return *devtools_; }
    Lanes& lanes() { return *lanes_; }
    net::BrowserProxy& gate() { return lanes_->gate(); }
    // Who may use the gate; nothing if nobody else can reach it.
    const std::optional<net::Address>& address() const { return address_; }
    // Of its processes, shared pages not counted; 0 for one elsewhere, of which it is not known.
    std::uint64_t memory() const { return process_ ? process_->memory() : 0; }
    int count_processes() const { return process_ ? process_->count_processes() : 0; }
    // "Mozilla/5.0 (X11; Linux x86_64) … Chrome/156.0.0.0 Safari/537.36"
    const std::string& user_agent() const { return user_agent_; }

private:
    Instance() = default;

    std::shared_ptr<Lanes> lanes_;
    std::optional<net::Address> address_;
    std::string user_agent_;
    std::unique_ptr<Chromium> process_;
    std::unique_ptr<DevTools> devtools_;
};

}  // namespace quarry::browser
