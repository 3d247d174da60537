#include "browser/browser_site.h"

#include <csignal>
#include <fstream>

#include <fmt/format.h>

#include "browser/chromium.h"
#include "browser/supervisor.h"

namespace quarry::test {

BrowserSite::BrowserSite() {
    forbidden.on("/*", [](const ServerRequest&, Connection& connection) {
        connection.respond(200, {{"Content-Type", "text/html"}, {"Access-Control-Allow-Origin", "*"}},
                           "<p>secret of the intranet</p>");
    });
}

void BrowserSite::answer(const std::string& path, const std::string& type, const std::string& body) {
    site.on(path, [type, body](const ServerRequest&, Connection& connection) {
        connection.respond(200, {{"Content-Type", type}}, body);
    });
}

void BrowserSite::page(const std::string& path, const std::string& html) {
    answer(path, "text/html;charset=utf-8", html);
}

browser::RenderRequest BrowserSite::request(const std::string& path) const {
    browser::RenderRequest request{.url = url::Url::parse(site.url(path)).value()};
    request.policy.allowed_networks.push_back(net::Network::parse("127.0.0.2/32").value());
    request.limits.time = std::chrono::seconds(60);
    return request;
}

int kill_browser_of(pid_t process) {
    int killed = 0;
    for (const pid_t descendant : browser::descendants_of(process)) {
        std::ifstream file(fmt::format("/proc/{}/comm", descendant));
        std::string name;
        std::getline(file, name);
        if (name.starts_with("chrom") && kill(descendant, SIGKILL) == 0) ++killed;
    }
    return killed;
}

bool has_browser() {
    static const bool is_there = [] {
        const auto found = browser::find_chromium({});
        if (!found) std::printf("SKIPPED: rendering pages: %s\n", found.error().message.c_str());
        return found.has_value();
    }();
    return is_there;
}

}  // namespace quarry::test
