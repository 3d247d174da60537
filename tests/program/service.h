// `quarry serve` on a port of loopback, for tests: ready when it is made, killed with the object.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/api_client.h"
#include "program/data_home.h"
#include "program/run_quarry.h"
#include "servers/free_port.h"

namespace quarry::test {

class Service {
public:
    // It may fetch pages from loopback. `environment` is what else it is told: "QUARRY_…=value".
    explicit Service(const DataHome& home, std::uint16_t port = free_port(),
                     const std::vector<std::string>& environment = {},
                     const std::vector<std::string>& arguments = {});

    std::uint16_t port() const { return port_; }
    pid_t process() const { return process_.process(); }
    // Where it writes its access log.
    const std::string& log_file() const { return log_file_; }

    int stop();  // politely; its exit code
    void kill();

private:
    std::uint16_t port_;
    std::string log_file_;

public:
    const ApiClient client;

private:
    StartedQuarry process_;
};

}  // namespace quarry::test
