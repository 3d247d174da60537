// A browser that quarry has not started. Its promises about pages are those of every browser: render_test.cc
// and forbidden_test.cc are part of this program, too.
#include <atomic>
#include <csignal>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "browser/browser_site.h"
#include "browser/remote_chromium.h"
#include "net/websocket.h"
#include "program/service.h"
#include "servers/free_port.h"
#include "servers/tcp_proxy.h"

using namespace quarry;
using namespace std::chrono_literals;
using test::BrowserSite;
using test::HostileServer;
using test::Ran;
using test::RemoteChromium;

namespace {

browser::PoolConfig config_for(const std::string& url, std::chrono::milliseconds timeout = 15s) {
    browser::PoolConfig config{.remote = browser::RemoteConfig::parse(url, "").value(), .pages_at_once = 2};
    config.remote->timeout = timeout;
    return config;
}

template <typename Holds>
bool comes_true(Holds holds) {
    const auto give_up = std::chrono::steady_clock::now() + 30s;
    while (!holds() && std::chrono::steady_clock::now() < give_up) usleep(10'000);
    return holds();
}

// A page that is not complete before its image is, which is never.
struct HeldSite : BrowserSite {
    HeldSite() {
        page("/held", "<h1>held</h1><img src=\"/never\">");
        page("/page", "<h1>page</h1>");
        site.on("/never", [](const test::ServerRequest&, test::Connection& connection) {
            connection.wait_for_close();
        });
    }
    browser::RenderRequest held() const {
        auto wanted = request("/held");
        wanted.blocked.media = false;
        return wanted;
    }
    bool is_held() {
        return comes_true([this] { return site.count_requests("/never") > 0; });
    }
};

// Answers /json/version as a browser does, and then opens a WebSocket on which `speak` says what it likes.
class FalseBrowser {
public:
    explicit FalseBrowser(std::function<void(test::Connection&)> speak) {
        server.on("/json/version", [](const test::ServerRequest&, test::Connection& connection) {
            // Which host and port it thinks to have is nothing to go by.
            connection.respond(200, {{"Content-Type", "application/json"}},
                               R"({"webSocketDebuggerUrl":"ws://127.0.0.1:1/devtools/browser/x"})");
        });
        server.on("/devtools/browser/x", [speak = std::move(speak)](const test::ServerRequest& request,
                                                                    test::Connection& connection) {
            const std::string proof =
                net::websocket_proof(header_value(request.headers, "sec-websocket-key"));
            connection.send_head(
                101, {{"Upgrade", "websocket"}, {"Connection", "Upgrade"}, {"Sec-WebSocket-Accept", proof}});
            // Nobody waits yet for an answer to what was not asked.
            if (connection.wait_for_words()) speak(connection);
            connection.close_after_this();
        });
    }

    HostileServer server;
};

}  // namespace

TEST_CASE("a browser elsewhere is found by its port, and by its own address") {
    REQUIRE_BROWSER();
    RemoteChromium chromium;
    BrowserSite place;
    place.page("/page", "<h1>page</h1>");

    for (const std::string& url :
         {chromium.url(), chromium.websocket_url(), fmt::format("http://localhost:{}", chromium.port())}) {
        CAPTURE(url);
        browser::Pool pool(config_for(url));
        auto request = place.request("/page");
        request.picture = browser::PictureWish{};

        const auto rendered = pool.render(request);

        REQUIRE_MESSAGE(rendered, rendered.error().message);
        CHECK(rendered->html.contains("<h1>page</h1>"));
        CHECK(rendered->picture.starts_with("\x89PNG"));
        CHECK(pool.tally().processes == 0);
    }
}

TEST_CASE("nothing of a page stays in a browser elsewhere") {
    REQUIRE_BROWSER();
    RemoteChromium chromium;
    HeldSite place;
    const auto before = chromium.pages();
    browser::Pool pool(config_for(chromium.url()));

    REQUIRE(pool.render(place.request("/page")));

    CHECK(comes_true([&] { return chromium.pages() == before; }));
}

TEST_CASE("after so many pages a browser elsewhere is connected to again, with its lanes in use or not") {
    REQUIRE_BROWSER();
    RemoteChromium chromium;
    HeldSite place;
    browser::PoolConfig config = config_for(chromium.url());
    config.remote->gate_port = test::free_port();
    config.pages_per_browser = 1;
    browser::Pool pool(config);
    auto held = place.held();
    held.limits.time = 60s;
    std::stop_source enough;
    held.stop = enough.get_token();
    std::jthread holds([&] { (void)pool.render(held); });
    REQUIRE(place.is_held());

    for (int i = 0; i < 3; ++i) CHECK(pool.render(place.request("/page")).has_value());

    CHECK(pool.tally().started >= 3);
    enough.request_stop();
}

TEST_CASE("a browser elsewhere that ends is said to have, and the one that is there next is used") {
    REQUIRE_BROWSER();
    RemoteChromium chromium;
    HeldSite place;
    browser::Pool pool(config_for(chromium.url()));
    Result<browser::Rendered> held = fail(ErrorCode::interrupted, "");
    std::jthread holds([&] { held = pool.render(place.held()); });
    REQUIRE(place.is_held());

    chromium.kill();
    holds.join();
    const auto meanwhile = pool.render(place.request("/page"));
    chromium.start_again();
    const auto next = pool.render(place.request("/page"));

    REQUIRE_FALSE(held);
    CHECK(held.error().code == ErrorCode::unavailable);
    CHECK(held.error().message.contains("the browser at " + chromium.url()));
    REQUIRE_FALSE(meanwhile);
    CHECK(meanwhile.error().code == ErrorCode::unavailable);
    CHECK(meanwhile.error().message.contains("connection refused"));
    REQUIRE_MESSAGE(next, next.error().message);
    CHECK(next->html.contains("<h1>page</h1>"));
}

TEST_CASE("a browser that came back under another id is not found by the old one") {
    REQUIRE_BROWSER();
    RemoteChromium chromium;
    HeldSite place;
    browser::Pool pool(config_for(chromium.websocket_url()));
    REQUIRE(pool.render(place.request("/page")));

    chromium.start_again();
    const auto rendered = pool.render(place.request("/page"));

    REQUIRE_FALSE(rendered);
    CHECK(rendered.error().message.contains("there is no such browser any more"));
}

TEST_CASE("a browser that no longer answers costs a page its time, and the next page nothing") {
    REQUIRE_BROWSER();
    RemoteChromium chromium;
    HeldSite place;
    test::TcpProxy cable(chromium.port());
    browser::Pool pool(config_for(fmt::format("http://127.0.0.1:{}", cable.port())));
    auto request = place.held();
    request.limits.time = 8s;
    Result<browser::Rendered> held = fail(ErrorCode::interrupted, "");
    std::jthread holds([&] { held = pool.render(request); });
    REQUIRE(place.is_held());

    cable.stall();
    holds.join();
    cable.forward();
    const auto next = pool.render(place.request("/page"));

    REQUIRE_FALSE(held);
    CHECK(held.error().code == ErrorCode::timeout);
    REQUIRE_MESSAGE(next, next.error().message);
    CHECK(pool.tally().started == 2);
}

TEST_CASE("quarry may be killed while a page is in a browser elsewhere: nothing of the page is left") {
    REQUIRE_BROWSER();
    RemoteChromium chromium;
    HeldSite place;
    const auto before = chromium.pages();
    test::TemporaryFolder folder;
    test::StartedQuarry quarry(
        {"screenshot", place.site.url("/held"), "--allow-private", "-o", folder.path() + "/a.png"},
        {.environment = {"QUARRY_BROWSER_REMOTE_URL=" + chromium.url()}});
    REQUIRE(place.is_held());
    REQUIRE(chromium.pages() != before);

    quarry.send(SIGKILL);
    quarry.wait();

    CHECK(comes_true([&] { return chromium.pages() == before; }));
}

TEST_CASE("a browser elsewhere that is restarted costs a page another attempt, and not the page") {
    REQUIRE_BROWSER();
    RemoteChromium chromium;
    BrowserSite place;
    std::atomic<int> shown = 0;
    place.page("/", "<title>Held</title><main><p>" + std::string(300, 'x') + "</p><img src=/held></main>");
    place.site.on("/held", [&shown](const test::ServerRequest&, test::Connection& connection) {
        if (++shown <= 1) return connection.wait_for_close();
        connection.respond(200, {{"Content-Type", "image/svg+xml"}},
                           "<svg xmlns='http://www.w3.org/2000/svg'/>");
    });
    const test::DataHome home({"QUARRY_BROWSER_REMOTE_URL=" + chromium.url()});
    test::Service service(home);
    const auto crawl = service.client.post(
        "/v2/crawl",
        fmt::format(R"({{"url":"{}","sitemap":"skip","scrapeOptions":{{"formats":["screenshot"]}}}})",
                    place.site.url("/")));
    REQUIRE(comes_true([&] { return shown > 0; }));

    chromium.start_again();
    const auto status =
        service.client.wait_for("/v2/crawl/" + std::string(crawl.json().at("id").as_string()));

    CHECK(status.at("status") == "completed");
    CHECK(status.at("data").as_array().size() == 1);
    CHECK(shown >= 2);
}

TEST_CASE("who is no browser is told from one") {
    struct Row {
        std::string reason;
        std::string words;
        ErrorCode code;
        test::HostileServer::Handler handler;
        std::chrono::milliseconds time = 30s;
    };
    const Row rows[] = {
        {"a page", "is not what a browser says", ErrorCode::unavailable,
         [](const test::ServerRequest&, test::Connection& connection) {
             connection.respond(200, {{"Content-Type", "text/html"}}, "<h1>It works!</h1>");
         }},
        {"JSON of another kind", "is not what a browser says", ErrorCode::unavailable,
         [](const test::ServerRequest&, test::Connection& connection) {
             connection.respond(200, {{"Content-Type", "application/json"}},
                                R"({"webSocketDebuggerUrl":[1]})");
         }},
        {"an error", "(HTTP 500)", ErrorCode::unavailable,
         [](const test::ServerRequest&, test::Connection& connection) { connection.respond(500, {}, "no"); }},
        {"bytes", "not HTTP", ErrorCode::unavailable,
         [](const test::ServerRequest&, test::Connection& connection) {
             connection.send("-ERR unknown command\r\n");
             connection.close_after_this();
         }},
        {"silence", "did not answer", ErrorCode::timeout,
         [](const test::ServerRequest&, test::Connection& connection) { connection.wait_for_close(); }, 1s},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        HostileServer server;
        server.on("/*", row.handler);
        BrowserSite place;
        browser::Pool pool(config_for(server.url(""), row.time));

        const auto rendered = pool.render(place.request("/page"));

        REQUIRE_FALSE(rendered);
        CHECK(rendered.error().code == row.code);
        CAPTURE(rendered.error().message);
        CHECK(rendered.error().message.starts_with("cannot use the browser at "));
        CHECK(rendered.error().message.contains(row.words));
    }
}

TEST_CASE("a WebSocket behind which is no browser fails in its time, with what it said") {
    struct Row {
        std::string reason;
        std::string words;
        std::function<void(test::Connection&)> speak;
        std::chrono::milliseconds time = 30s;
    };
    const std::string megabyte(1 << 20, 'x');
    const Row rows[] = {
        {"too long an answer", "longer than 96 MB",
         [&](test::Connection& connection) {
             connection.send(std::string("\x81\x7f\x00\x00\x00\x00\x10\x00\x00\x00", 10));
             connection.send(R"({"id":1,"x":")");
             for (int i = 0; i < 97 && connection.send(megabyte); ++i) continue;
             connection.wait_for_close();
         }},
        {"an endless message of nobody's", "took too long",
         [&](test::Connection& connection) {
             connection.send(std::string("\x81\x7f\x7f\xff\xff\xff\xff\xff\xff\xff{", 11));
             connection.wait_for_close();
         },
         1s},
        {"no frames", "this is no WebSocket",
         [](test::Connection& connection) {
             connection.send("hello there");
             connection.wait_for_close();
         }},
        {"an answer that says nothing", "does not say which browser it is",
         [](test::Connection& connection) {
             connection.send("\x81\x14{\"id\":1,\"result\":{}}");
             connection.wait_for_close();
         }},
        {"the end", "lost the browser", [](test::Connection&) {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        FalseBrowser browser(row.speak);
        BrowserSite place;
        browser::Pool pool(config_for(browser.server.url(""), row.time));

        const auto rendered = pool.render(place.request("/page"));

        REQUIRE_FALSE(rendered);
        CAPTURE(rendered.error().message);
        CHECK(rendered.error().message.contains(row.words));
    }
}

TEST_CASE("the command line uses a browser elsewhere, and none that is installed") {
    REQUIRE_BROWSER();
    RemoteChromium chromium;
    BrowserSite place;
    place.page("/app", R"(<title>App</title><div id="root"></div><script>
        document.getElementById('root').innerHTML = '<p>' + 'Granite is grey. '.repeat(20)</script>)");

    const Ran ran =
        test::run_quarry({"scrape", place.site.url("/app"), "--allow-private", "--render", "always"},
                         {.environment = {"QUARRY_BROWSER_REMOTE_URL=" + chromium.url(),
                                          "QUARRY_BROWSER_PATH=/nowhere/chromium"}});

    CAPTURE(ran.err);
    CHECK(ran.exit_code == 0);
    CHECK(ran.out.contains("Granite is grey."));
}

TEST_CASE("a browser on another machine needs a gate that it can reach") {
    const Ran ran = test::run_quarry({"scrape", "https://a.example/", "--render", "always"},
                                     {.environment = {"QUARRY_BROWSER_REMOTE_URL=http://192.0.2.7:9222"}});

    CHECK(ran.exit_code == 2);
    CHECK(ran.err.contains("browser.gate"));
}

TEST_CASE("the doctor says which browser is elsewhere, and what to do if there is none") {
    REQUIRE_BROWSER();
    RemoteChromium chromium;
    test::TemporaryFolder folder;
    const auto examine = [&] {
        return test::run_quarry({"doctor"}, {.environment = {"QUARRY_BROWSER_REMOTE_URL=" + chromium.url(),
                                                             "HOME=" + folder.path()}});
    };

    const Ran well = examine();
    chromium.kill();
    const Ran missing = examine();

    CHECK(well.out.contains(chromium.url() + ", HeadlessChrome/"));
    CHECK(missing.exit_code == 2);
    CHECK(missing.out.contains("connection refused"));
    CHECK(missing.out.contains("correct browser.remote_url"));
}
