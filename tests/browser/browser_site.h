// A site on loopback for a real browser, and a server beside it that no page may reach.
#pragma once

#include <cstdio>
#include <string>

#include <doctest/doctest.h>
#include <sys/types.h>

#include "browser/pool.h"
#include "servers/hostile_server.h"

namespace quarry::test {

// The site may be reached, 127.0.0.1 may not: so "localhost" is a name that leads to a forbidden address.
class BrowserSite {
public:
    BrowserSite();

    // Answers with HTML.
    void page(const std::string& path, const std::string& html);
    void answer(const std::string& path, const std::string& type, const std::string& body);

    browser::RenderRequest request(const std::string& path) const;

    HostileServer site{0, "127.0.0.2"};
    HostileServer forbidden{0, "127.0.0.1"};
};

// One browser for the tests of a program: starting one costs half a second. local_pool.cc starts it as quarry
// does, remote_pool.cc lets quarry connect to it.
browser::PoolConfig pool_config();  // of a local one
browser::Pool& shared_pool();

// Kills the browser's processes that this one has started, and says how many there were.
int kill_browser_of(pid_t process);

// False, with a loud word, where there is no browser.
bool has_browser();

}  // namespace quarry::test

#define REQUIRE_BROWSER() \
    if (!quarry::test::has_browser()) return
