// A running browser with all that belongs to it: the process, if it is ours, the connection to it, and the
// gate that its pages go out through.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "browser/chromium.h"
#include "browser/devtools.h"
#include "browser/lanes.h"
#include "browser/remote.h"
#include "net/browser_proxy.h"

namespace quarry::browser {

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
    net::Gate& gate() { return lanes_->gate(); }
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
