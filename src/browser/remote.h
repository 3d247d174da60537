// A browser that runs elsewhere and was started by somebody else, who has let us use it: its port for
// DevTools is known, and nothing else of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "browser/devtools.h"
#include "net/address.h"
#include "url/url.h"

namespace quarry::browser {

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

}  // namespace quarry::browser
