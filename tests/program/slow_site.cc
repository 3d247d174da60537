#include "program/slow_site.h"

#include <algorithm>
#include <thread>

namespace quarry::test {

SlowSite::SlowSite(int pages, std::chrono::milliseconds delay) : pages_(pages) {
    server_.on("/p/*", [pages, delay](const ServerRequest& request, Connection& connection) {
        const int number = request.path == "/p/" ? 1 : std::stoi(request.path.substr(3));
        if (!connection.pause(delay)) return;
        std::string html = "<title>Page " + std::to_string(number) + "</title><h1>Page " +
                           std::to_string(number) + "</h1><p>This is what page number " +
                           std::to_string(number) +
                           " has to say about the matter, and it is enough for a page to be kept.</p>";
        for (int next : {2 * number, 2 * number + 1})
            if (next <= pages) html += "<a href=\"/p/" + std::to_string(next) + "\">further</a>";
        connection.respond(200, {{"Content-Type", "text/html"}}, html);
    });
}

std::vector<std::string> SlowSite::all_urls() const {
    std::vector<std::string> urls;
    for (int number = 1; number <= pages_; ++number) urls.push_back(page_url(number));
    std::ranges::sort(urls);
    return urls;
}

void SlowSite::wait_for_requests(std::size_t count) {
    const auto pages_asked_for = [&] {
        return std::ranges::count_if(
            server_.requests(), [](const ServerRequest& request) { return request.path.starts_with("/p/"); });
    };
    while (static_cast<std::size_t>(pages_asked_for()) < count)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace quarry::test
