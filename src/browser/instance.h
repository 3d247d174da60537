// A running browser with all that belongs to it: the process, the connection to it, and the gate that its
// pages go out through, one lane for each page that may be open at once.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "browser/chromium.h"
#include "browser/devtools.h"
#include "net/gate.h"

namespace quarry::browser {

class Instance {
public:
    static Result<std::unique_ptr<Instance>> start(const ChromiumConfig& config);
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    struct Lane {
        net::Gate::Lane number = 0;
        std::string proxy{};  // as the browser is told
    };
    const std::vector<Lane>& lanes() const { return lanes_; }

    DevTools& devtools() { return *devtools_; }
    net::Gate& gate() { return gate_; }
    const Chromium& process() const { return *process_; }
    // "Mozilla/5.0 (X11; Linux x86_64) … Chrome/156.0.0.0 Safari/537.36"
    const std::string& user_agent() const { return user_agent_; }

private:
    Instance() = default;

    net::Gate gate_;
    std::vector<Lane> lanes_;
    std::string user_agent_;
    std::unique_ptr<Chromium> process_;
    std::unique_ptr<DevTools> devtools_;
};

}  // namespace quarry::browser
