#include "program/mixed_site.h"

#include <atomic>
#include <memory>

namespace quarry::test {

namespace {

const Header html{"Content-Type", "text/html; charset=utf-8"};

std::string page_of(const std::string& name, const std::string& words, const std::string& more) {
    return "<!doctype html><html lang=en><head><title>" + name +
           "</title></head><body><nav><a href=/s/>Navigation of the site</a></nav><main><h1>The page " +
           name + "</h1><p>" + words +
           " It is long enough to be the content of a page and to be found again.</p>" + more +
           "</main></body></html>";
}

}  // namespace

MixedSite::MixedSite() {
    page("", "Here everything begins.",
         "<p><a href=/s/good>good</a> <a href=/s/empty>empty</a> <a href=/s/picture.png>picture</a> "
         "<a href=/s/dead>dead</a> <a href=/s/busy>busy</a> <a href=/s/download>download</a></p>");
    page("good", "Granite is solid and grey.");
    page("other", "Basalt is dark and heavy.");
    server_.on("/s/empty", [](const ServerRequest&, Connection& connection) {
        connection.respond(200, {html}, "<!doctype html><title>Empty</title><body></body>");
    });
    const auto binary = [](const std::string& type) {
        return [type](const ServerRequest&, Connection& connection) {
            connection.respond(200, {{"Content-Type", type}},
                               std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
        };
    };
    server_.on("/s/picture.png", binary("image/png"));
    server_.on("/s/download", binary("application/zip"));
    server_.on("/s/broken", [](const ServerRequest&, Connection& connection) {
        connection.respond(500, {html}, "<p>broken</p>");
    });
    server_.on("/s/silent",
               [](const ServerRequest&, Connection& connection) { connection.wait_for_close(); });
    const auto after = [](int refusals, int status, std::string page) {
        const auto left = std::make_shared<std::atomic<int>>(refusals);
        return [left, status, page = std::move(page)](const ServerRequest&, Connection& connection) {
            if ((*left)-- > 0)
                return void(connection.respond(status, {html, {"Retry-After", "0"}}, "<p>not now</p>"));
            connection.respond(200, {html}, page);
        };
    };
    server_.on("/s/flaky", after(2, 503, page_of("flaky", "It works the third time.", "")));
    // More often than a page has attempts.
    server_.on("/s/busy", after(4, 429, page_of("busy", "It was busy, and has time now.", "")));
}

void MixedSite::page(const std::string& name, const std::string& words, const std::string& more) {
    server_.on("/s/" + name,
               [body = page_of(name.empty() ? "start" : name, words, more)](
                   const ServerRequest&, Connection& connection) { connection.respond(200, {html}, body); });
}

}  // namespace quarry::test
