// robots.txt of any bytes: every question gets an answer, and a path's answer does not depend on how its
// escapes are written in hex. The input's first line is the path.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "crawl/robots.h"

using quarry::crawl::Robots;

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t line = input.find('\n');
    if (line == std::string_view::npos) return 0;
    const std::string_view text = input.substr(line + 1);
    const std::string path = "/" + std::string(input.substr(0, line));

    const Robots robots = Robots::parse(text);

    for (const char* agent : {"quarry", "a", ""}) {
        const auto verdict = robots.check(agent, path);
        require(!verdict.rule.empty());
        require((verdict.line > 0) == !verdict.agent.empty());
        require(verdict.line <= static_cast<int>(text.size()) + 1);
        if (path.size() < 2'000)  // in its form it is not cut either
            require(robots.check(agent, quarry::crawl::path_form(path)).allowed == verdict.allowed);
        const auto delay = robots.crawl_delay(agent);
        require(!delay || (delay->count() >= 0 && *delay <= quarry::crawl::max_crawl_delay));
    }
    return 0;
}
