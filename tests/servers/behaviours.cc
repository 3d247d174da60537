// The catalogue of hostile answers. Every path is named after what a client experiences.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "servers/bombs.h"
#include "servers/hostile_server.h"

namespace quarry::test {

namespace {

using std::chrono::milliseconds;

const Header html{"Content-Type", "text/html; charset=utf-8"};
const Header plain{"Content-Type", "text/plain; charset=utf-8"};

constexpr std::string_view small_page =
    "<!doctype html><html lang=en><head><title>A page</title></head><body><main><h1>A page</h1>"
    "<p>This paragraph is the whole content of the page, and long enough to be "
    "one.</p></main></body></html>\n";

int number_or(const std::string& text, int otherwise) {
    return text.empty() ? otherwise : std::atoi(text.c_str());
}

std::string own_url(const ServerRequest& request, std::string_view path) {
    return fmt::format("http://{}{}", header_value(request.headers, "Host"), path);
}

// One byte each ?ms=100 milliseconds, for as long as the client listens.
void drip(Connection& connection, std::string_view bytes, milliseconds interval) {
    for (std::size_t i = 0;; i = (i + 1) % bytes.size())
        if (!connection.send(bytes.substr(i, 1)) || !connection.pause(interval)) return;
}

milliseconds drip_interval(const ServerRequest& request) {
    return milliseconds(number_or(request.parameter("ms"), 100));
}

void add_slow_answers(HostileServer& server) {
    // Headers at once, then a body that never ends, byte by byte.
    server.on("/drip", [](const ServerRequest& request, Connection& connection) {
        connection.send_head(200, {html});
        drip(connection, "<p>drip</p>\n", drip_interval(request));
    });
    // The headers themselves come byte by byte, and never end.
    server.on("/slow-headers", [](const ServerRequest& request, Connection& connection) {
        connection.send("HTTP/1.1 200 OK\r\n");
        drip(connection, "X-Slow: yes\r\n", drip_interval(request));
    });
    server.on("/never", [](const ServerRequest&, Connection& connection) { connection.wait_for_close(); });
    server.on("/hang-after-headers", [](const ServerRequest&, Connection& connection) {
        connection.send_head(200, {html, {"Content-Length", "1000"}});
        connection.wait_for_close();
    });
}

void add_cut_answers(HostileServer& server) {
    server.on("/close-early",
              [](const ServerRequest&, Connection& connection) { connection.close_after_this(); });
    server.on("/reset", [](const ServerRequest&, Connection& connection) { connection.reset(); });
    // Promises more than it sends.
    server.on("/long-length", [](const ServerRequest&, Connection& connection) {
        connection.send_head(200, {html, {"Content-Length", "100000"}});
        connection.send(small_page);
        connection.close_after_this();
    });
    // Promises less than it sends; what follows must not be taken for the next answer.
    server.on("/short-length", [](const ServerRequest&, Connection& connection) {
        connection.send_head(200, {html, {"Content-Length", "100"}});
        connection.send(small_page);
    });
    server.on("/cut-chunks", [](const ServerRequest&, Connection& connection) {
        connection.send_head(200, {html, {"Transfer-Encoding", "chunked"}});
        connection.send("5\r\nhello\r\n");
        connection.close_after_this();
    });
    server.on("/bad-chunks", [](const ServerRequest&, Connection& connection) {
        connection.send_head(200, {html, {"Transfer-Encoding", "chunked"}});
        connection.send("zebra\r\nhello\r\n0\r\n\r\n");
        connection.close_after_this();
    });
    server.on("/not-http", [](const ServerRequest&, Connection& connection) {
        connection.send("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n");
        connection.close_after_this();
    });
    server.on("/truncated-gzip", [](const ServerRequest&, Connection& connection) {
        const std::string whole = gzipped(small_page);
        connection.respond(200, {html, {"Content-Encoding", "gzip"}},
                           std::string_view(whole).substr(0, whole.size() / 2));
    });
    server.on("/not-gzip", [](const ServerRequest&, Connection& connection) {
        connection.respond(200, {html, {"Content-Encoding", "gzip"}}, small_page);
    });
}

void add_large_answers(HostileServer& server) {
    // 4 GB from 4 MB: one member of 10 MB, again and again.
    server.on("/bomb.gz", [](const ServerRequest&, Connection& connection) {
        static const std::string member = gzipped(std::string(10 << 20, '\0'));
        connection.send_head(200, {html, {"Content-Encoding", "gzip"}});
        for (int i = 0; i < 400 && connection.send(member); ++i) {
        }
        connection.close_after_this();
    });
    server.on("/bomb.br", [](const ServerRequest&, Connection& connection) {
        static const std::string bomb = brotli_zeros(std::size_t{256} << 20);
        connection.respond(200, {html, {"Content-Encoding", "br"}}, bomb);
    });
    server.on("/bomb.zst", [](const ServerRequest&, Connection& connection) {
        static const std::string bomb = zstd_zeros(std::size_t{1} << 30);
        connection.respond(200, {html, {"Content-Encoding", "zstd"}}, bomb);
    });
    // ?bytes=N of text, without a Content-Length unless ?declared=1.
    server.on("/large", [](const ServerRequest& request, Connection& connection) {
        const auto bytes = static_cast<std::size_t>(number_or(request.parameter("bytes"), 1 << 20));
        const std::string block(64 * 1024, 'x');
        if (request.parameter("declared").empty())
            connection.send_head(200, {plain});
        else
            connection.send_head(200, {plain, {"Content-Length", std::to_string(bytes)}});
        for (std::size_t left = bytes; left > 0 && connection.is_open();) {
            const std::size_t now = std::min(left, block.size());
            connection.send(std::string_view(block).substr(0, now));
            left -= now;
        }
        connection.close_after_this();
    });
    server.on("/robots-100mb", [](const ServerRequest&, Connection& connection) {
        std::string block = "User-agent: *\nDisallow: /private\n";
        while (block.size() < 1 << 20) block += fmt::format("Disallow: /never/{}\n", block.size());
        connection.send_head(200, {plain});
        for (int i = 0; i < 100 && connection.send(block); ++i) {
        }
        connection.close_after_this();
    });
    server.on("/huge-headers", [](const ServerRequest&, Connection& connection) {
        connection.send("HTTP/1.1 200 OK\r\n");
        const std::string header = "X-Padding: " + std::string(1000, 'x') + "\r\n";
        for (int i = 0; i < 1000 && connection.send(header); ++i) {
        }
        connection.send("Content-Length: 0\r\n\r\n");
    });
    server.on("/long-header", [](const ServerRequest&, Connection& connection) {
        connection.respond(200, {html, {"X-Padding", std::string(200'000, 'x')}}, small_page);
    });
}

void add_redirects(HostileServer& server) {
    const auto redirect = [](Connection& connection, int status, const std::string& location) {
        connection.respond(status, {{"Location", location}, plain}, "moved\n");
    };
    // ?u= where to, ?status= how.
    server.on("/redirect-to", [=](const ServerRequest& request, Connection& connection) {
        redirect(connection, number_or(request.parameter("status"), 302), request.parameter("u"));
    });
    server.on("/redirect-loop", [=](const ServerRequest&, Connection& connection) {
        redirect(connection, 302, "/redirect-loop");
    });
    // Another URL each time.
    server.on("/endless-redirects", [=](const ServerRequest& request, Connection& connection) {
        const int next = number_or(request.parameter("n"), 0) + 1;
        redirect(connection, 302, fmt::format("/endless-redirects?n={}", next));
    });
    // Sets a cookie and sends the client to where it is shown.
    server.on("/cookies", [=](const ServerRequest&, Connection& connection) {
        connection.respond(
            302, {{"Location", "/cookies/show"}, {"Set-Cookie", "taste=oat; Path=/; HttpOnly"}}, "");
    });
    server.on("/cookies/show", [](const ServerRequest& request, Connection& connection) {
        connection.respond(200, {plain}, header_value(request.headers, "Cookie"));
    });
}

void add_odd_content(HostileServer& server) {
    const auto answer = [&](const std::string& path, const Header& type, std::string body) {
        server.on(path, [type, body](const ServerRequest&, Connection& connection) {
            connection.respond(200, {type}, body);
        });
    };
    using namespace std::string_literals;
    answer("/", html, std::string(small_page));
    answer("/ok", html, std::string(small_page));
    answer("/empty", html, "");
    answer("/nul", html, "<!doctype html><title>N\0L</title><p>before\0after</p>"s);
    // windows-1252 bytes under a UTF-8 label.
    answer("/wrong-charset", html,
           "<!doctype html><title>caf\xe9</title><p>\x93quoted\x94 caf\xe9 cr\xe8me</p>");
    answer("/unknown-charset", {"Content-Type", "text/html; charset=x-nobody-knows"},
           std::string(small_page));
    answer("/binary.png", {"Content-Type", "image/png"},
           "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x8\6\0\0\0\x1f\x15\xc4\x89"s);
    answer("/binary-as-html", html, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x8\6\0\0\0"s);
    server.on("/no-type",
              [](const ServerRequest&, Connection& connection) { connection.respond(200, {}, small_page); });
    // Includes itself, as an index.
    server.on("/sitemap-self.xml", [](const ServerRequest& request, Connection& connection) {
        connection.respond(
            200, {{"Content-Type", "application/xml"}},
            fmt::format("<?xml version=\"1.0\"?><sitemapindex "
                        "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><sitemap><loc>{}</loc>"
                        "</sitemap></sitemapindex>",
                        own_url(request, "/sitemap-self.xml")));
    });
    // Markdown for who asks for it, HTML for the rest.
    server.on("/markdown", [](const ServerRequest& request, Connection& connection) {
        const bool wants_markdown =
            header_value(request.headers, "Accept").find("text/markdown") != std::string::npos;
        if (wants_markdown)
            connection.respond(200, {{"Content-Type", "text/markdown; charset=utf-8"}, {"Vary", "Accept"}},
                               "# A page\n\nThis paragraph came as markdown.\n");
        else
            connection.respond(200, {html, {"Vary", "Accept"}}, small_page);
    });
    server.on("/echo", [](const ServerRequest& request, Connection& connection) {
        std::string text = fmt::format("{} {}\n", request.method, request.target);
        for (const Header& header : request.headers)
            text += fmt::format("{}: {}\n", header.name, header.value);
        connection.respond(200, {plain}, text + "\n" + request.body);
    });
}

void add_statuses(HostileServer& server) {
    // /status/503?retry-after=1
    server.on("/status/*", [](const ServerRequest& request, Connection& connection) {
        const int status = number_or(request.path.substr(std::string("/status/").size()), 200);
        std::vector<Header> headers{plain};
        const std::string retry_after = request.parameter("retry-after");
        if (!retry_after.empty()) headers.push_back({"Retry-After", retry_after});
        if (status == 204 || status == 304)
            connection.send_head(status, headers);
        else
            connection.respond(status, headers, fmt::format("status {}\n", status));
    });
    // Fails twice, then works; then all over again.
    server.on("/flaky",
              [count = std::make_shared<std::atomic<int>>(0)](const ServerRequest&, Connection& connection) {
                  const bool works = ++*count % 3 == 0;
                  connection.respond(works ? 200 : 503, {html}, works ? small_page : "not now\n");
              });
}

}  // namespace

void add_hostile_behaviours(HostileServer& server) {
    add_slow_answers(server);
    add_cut_answers(server);
    add_large_answers(server);
    add_redirects(server);
    add_odd_content(server);
    add_statuses(server);
}

}  // namespace quarry::test
