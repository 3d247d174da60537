#include "program/service.h"

#include <csignal>

#include <fmt/format.h>

namespace quarry::test {
namespace {

RunOptions options_of(const DataHome& home, const std::string& log_file,
                      const std::vector<std::string>& environment) {
    RunOptions options = home.options();
    options.environment.insert(options.environment.end(), environment.begin(), environment.end());
    options.environment.emplace_back("QUARRY_FETCH_ALLOW_PRIVATE=true");
    options.error_file = log_file;
    return options;
}

std::vector<std::string> command_line(std::uint16_t port, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"serve", "--listen", fmt::format("127.0.0.1:{}", port)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

}  // namespace

Service::Service(const DataHome& home, std::uint16_t port, const std::vector<std::string>& environment,
                 const std::vector<std::string>& arguments)
    : port_(port),
      log_file_(home.file("serve.log")),
      client(port),
      process_(command_line(port, arguments), options_of(home, log_file_, environment)) {
    client.wait_until_ready();
}

int Service::stop() {
    process_.send(SIGTERM);
    return process_.wait();
}

void Service::kill() {
    process_.send(SIGKILL);
    process_.wait();
}

}  // namespace quarry::test
