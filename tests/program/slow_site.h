// A site of many pages that takes its time with each, so that there is a middle to interrupt.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "servers/hostile_server.h"

namespace quarry::test {

class SlowSite {
public:
    // Page n links to pages 2n and 2n + 1; page 1 is the start, /p/.
    SlowSite(int pages, std::chrono::milliseconds delay);

    std::string url() const { return page_url(1); }
    std::vector<std::string> all_urls() const;  // sorted
    HostileServer& server() { return server_; }

    // Returns when that many pages have been asked for.
    void wait_for_requests(std::size_t count);

private:
    // The start is a folder, so that all others lie below it.
    std::string page_url(int number) const {
        return server_.url(number == 1 ? "/p/" : "/p/" + std::to_string(number));
    }

    int pages_;
    HostileServer server_;
};

}  // namespace quarry::test
