// A site on which everything goes wrong that goes wrong on real ones, beside pages that are as they should
// be.
#pragma once

#include <string>

#include "servers/hostile_server.h"

namespace quarry::test {

class MixedSite {
public:
    // /s/ links to /s/good, /s/empty, /s/picture.png, /s/dead and /s/busy, which says "too many requests" at
    // first. /s/flaky fails twice and then works, /s/broken always fails, /s/silent never answers.
    MixedSite();

    std::string url(const std::string& name = "") const { return server_.url("/s/" + name); }
    std::size_t requests_for(const std::string& name) { return server_.count_requests("/s/" + name); }

private:
    void page(const std::string& name, const std::string& words, const std::string& more = "");

    HostileServer server_;
};

}  // namespace quarry::test
