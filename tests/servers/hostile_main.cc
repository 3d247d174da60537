// The hostile server as a program, for tests that run the quarry binary: prints its port and serves until its
// standard input ends, so that it never outlives the test that started it.
//   hostile_server [--port N] [--alias /robots.txt=/robots-100mb]...
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "servers/hostile_server.h"

namespace {

struct Options {
    std::uint16_t port = 0;
    std::vector<std::string> aliases{};  // "/path=/path of the catalogue"
};

Options read_options(int argc, char** argv) {
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view flag = argv[i];
        if (flag == "--port") options.port = static_cast<std::uint16_t>(std::atoi(argv[i + 1]));
        if (flag == "--alias") options.aliases.emplace_back(argv[i + 1]);
    }
    return options;
}

void wait_for_end_of_input() {
    char ignored[256];
    while (read(STDIN_FILENO, ignored, sizeof ignored) > 0) {
    }
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = read_options(argc, argv);
    quarry::test::HostileServer server(options.port);
    quarry::test::add_hostile_behaviours(server);
    for (const std::string& alias : options.aliases)
        if (const auto equals = alias.find('='); equals != alias.npos)
            server.add_alias(alias.substr(0, equals), alias.substr(equals + 1));
    std::printf("%u\n", server.port());
    std::fflush(stdout);
    wait_for_end_of_input();
    return 0;
}
