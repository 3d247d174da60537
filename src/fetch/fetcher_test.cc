#include "fetch/fetcher.h"

#include <atomic>
#include <latch>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "fetch/http_time.h"
#include "fetch/redirect.h"
#include "servers/hostile_server.h"
#include "servers/nginx.h"

using namespace quarry;
using namespace quarry::fetch;
using namespace std::chrono_literals;
using test::Connection;
using test::HostileServer;
using test::ServerRequest;
using url::Url;

namespace {

// No waiting between tries; everything else as configured by default.
FetchConfig quick() {
    return {.retry = {.base = 0ms}};
}

struct Fixture {
    HostileServer server;
    HostileServer elsewhere;  // another port: another origin
    std::unique_ptr<net::HttpClient> client = net::HttpClient::open({}).value();
    Fetcher fetcher{*client, quick()};

    Fixture() {
        add_hostile_behaviours(server);
        add_hostile_behaviours(elsewhere);
    }

    FetchRequest request(std::string_view path) {
        return {.url = Url::parse(server.url(path)).value(), .policy = {.allow_private = true}};
    }
    Result<Page> fetch(std::string_view path) { return fetcher.fetch(request(path)); }
    std::string redirect_to(std::string_view target) { return fmt::format("/redirect-to?u={}", target); }
    Error error_of(std::string_view path) {
        auto page = fetch(path);
        REQUIRE_FALSE(page);
        return page.error();
    }
};

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a page says what was asked for, where it was found, and when") {
    const auto before = std::chrono::system_clock::now();

    const Page page = fetch(redirect_to("/ok")).value();

    CHECK(page.url == server.url(redirect_to("/ok")));
    CHECK(page.final_url == server.url("/ok"));
    CHECK(page.status == 200);
    CHECK(page.content_type == "text/html; charset=utf-8");
    CHECK(header_value(page.headers, "content-length") == std::to_string(page.body.size()));
    CHECK(contains(page.body, "<h1>A page</h1>"));
    CHECK(page.fetched_at >= before);
}

TEST_CASE_FIXTURE(Fixture, "a server that offers markdown is taken up on it, unless HTML is asked for") {
    CHECK(fetch("/markdown").value().content_type == "text/markdown; charset=utf-8");

    FetchRequest html = request("/markdown");
    html.headers = {{"Accept", "text/html"}};
    CHECK(fetcher.fetch(html).value().content_type == "text/html; charset=utf-8");
}

TEST_CASE_FIXTURE(Fixture, "an error status is a page, and a 4xx is asked for once") {
    CHECK(fetch("/status/404").value().status == 404);
    CHECK(fetch("/status/403").value().status == 403);
    CHECK(server.requests().size() == 2);
}

TEST_CASE_FIXTURE(Fixture, "conditional headers are passed on, and a 304 is a page") {
    server.on("/cached", [](const ServerRequest& request, Connection& connection) {
        connection.send_head(header_value(request.headers, "If-None-Match") == "\"v1\"" ? 304 : 200,
                             {{"Content-Length", "0"}, {"ETag", "\"v1\""}});
    });
    FetchRequest conditional = request("/cached");
    conditional.headers = {{"If-None-Match", "\"v1\""}};
    CHECK(fetcher.fetch(conditional).value().status == 304);
}

TEST_CASE_FIXTURE(Fixture, "nginx answers a conditional request with a 304, which is a page without a body") {
    const test::TemporaryFolder site;
    site.write("a.html", "<p>unchanged</p>");
    const auto nginx = test::Nginx::start(site.path());
    if (!nginx) {
        MESSAGE("skipped: nginx is not installed");
        return;
    }
    FetchRequest request = this->request("/");
    request.url = Url::parse(nginx->url("/a.html")).value();
    const Page first = fetcher.fetch(request).value();
    REQUIRE(first.status == 200);
    for (const auto& [name, validator] :
         {std::pair("If-Modified-Since", "Last-Modified"), std::pair("If-None-Match", "ETag")}) {
        CAPTURE(name);
        request.headers = {{name, std::string(header_value(first.headers, validator))}};
        const Page again = fetcher.fetch(request).value();
        CHECK(again.status == 304);
        CHECK(again.body.empty());
        CHECK(header_value(again.headers, "ETag") == header_value(first.headers, "ETag"));
    }
    site.write("a.html", "<p>changed, and longer</p>");
    CHECK(fetcher.fetch(request).value().status == 200);
}

TEST_CASE_FIXTURE(Fixture, "all five redirect statuses are followed, a Refresh header is not") {
    for (const int status : {301, 302, 303, 307, 308})
        CHECK(fetch(fmt::format("/redirect-to?u=/ok&status={}", status)).value().final_url ==
              server.url("/ok"));
    server.on("/refresh", [](const ServerRequest&, Connection& connection) {
        connection.respond(200, {{"Refresh", "0; url=/ok"}}, "stay");
    });
    CHECK(fetch("/refresh").value().body == "stay");
}

TEST_CASE_FIXTURE(Fixture, "a redirect without a target is a page") {
    CHECK(fetch("/status/302").value().status == 302);
}

TEST_CASE_FIXTURE(Fixture, "redirects end: after ten, or when they go in a circle") {
    const Error endless = error_of("/endless-redirects");
    CHECK(endless.code == ErrorCode::corrupt);
    CHECK(contains(endless.message, "more than 10 redirects"));
    CHECK(server.count_requests("/endless-redirects") == 11);

    const Error circle = error_of("/redirect-loop");
    CHECK(circle.code == ErrorCode::corrupt);
    CHECK(contains(circle.message, "the redirects go in a circle"));
    CHECK(server.count_requests("/redirect-loop") == 1);
}

TEST_CASE_FIXTURE(Fixture, "a redirect to another scheme or to a forbidden address is refused") {
    struct Row {
        const char* target;
        const char* sentence;
    };
    constexpr Row rows[] = {
        {"file:///etc/passwd", "refused: redirected to a file: URL"},
        {"gopher://a.example/", "refused: redirected to a gopher: URL"},
        {"data:,x", "refused: redirected to a data: URL"},
        {"http://169.254.169.254/latest/meta-data/", "refused: 169.254.169.254 is a cloud metadata address"},
        {"http://2852039166/", "refused: 169.254.169.254 is a cloud metadata address"},
        {"http://[::ffff:169.254.169.254]/", "IPv4-mapped address of 169.254.169.254"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.target);
        const Error error = error_of(redirect_to(row.target));
        CHECK(error.code == ErrorCode::refused);
        CHECK_MESSAGE(contains(error.message, row.sentence), error.message);
        CHECK(contains(error.message, "cannot fetch " + server.url("/redirect-to")));
    }
}

TEST_CASE_FIXTURE(Fixture, "a public page cannot redirect to a private address that was not named") {
    FetchRequest request =
        this->request(redirect_to(fmt::format("http://localhost:{}/ok", elsewhere.port())));
    request.policy = {.allowed_networks = {net::Network::parse("127.0.0.1").value()}};
    CHECK(fetcher.fetch(request).value().status == 200);

    FetchRequest metadata = this->request(redirect_to("http://10.0.0.1/"));
    metadata.policy = request.policy;
    CHECK(fetcher.fetch(metadata).error().code == ErrorCode::refused);
}

TEST_CASE_FIXTURE(Fixture, "a target that is no URL is said so") {
    const Error error = error_of(redirect_to("http://a%2520b/"));
    CHECK(error.code == ErrorCode::corrupt);
}

TEST_CASE_FIXTURE(Fixture, "secrets go along within an origin and are dropped at its border") {
    FetchRequest inside = request(redirect_to("/echo"));
    inside.headers = {{"Authorization", "Bearer secret"},
                      {"X-Api-Key", "secret"},
                      {"Cookie", "sid=secret"},
                      {"Accept-Language", "de"}};
    const std::string same = fetcher.fetch(inside).value().body;
    CHECK(contains(same, "Authorization: Bearer secret"));
    CHECK(contains(same, "X-Api-Key: secret"));
    CHECK(contains(same, "Cookie: sid=secret"));

    FetchRequest outside = inside;
    outside.url = Url::parse(server.url(redirect_to(elsewhere.url("/echo")))).value();
    const std::string other = fetcher.fetch(outside).value().body;
    CHECK_FALSE(contains(other, "secret"));
    CHECK(contains(other, "Accept-Language: de"));
}

TEST_CASE_FIXTURE(Fixture, "secrets that were dropped do not come back with the way home") {
    FetchRequest request = this->request("/away");
    request.headers = {{"Authorization", "Bearer secret"}};
    server.on("/away", [&](const ServerRequest&, Connection& connection) {
        connection.respond(302, {{"Location", elsewhere.url("/home")}}, "");
    });
    elsewhere.on("/home", [&](const ServerRequest&, Connection& connection) {
        connection.respond(302, {{"Location", server.url("/echo")}}, "");
    });
    CHECK_FALSE(contains(fetcher.fetch(request).value().body, "secret"));
}

TEST_CASE_FIXTURE(Fixture, "credentials of the URL are sent to its origin and appear nowhere else") {
    FetchRequest request = this->request("/echo");
    request.url = Url::parse(fmt::format("http://us%65r:p%40ss@127.0.0.1:{}/echo", server.port())).value();
    const Page page = fetcher.fetch(request).value();
    CHECK(contains(page.body, "Authorization: Basic dXNlcjpwQHNz"));  // user:p@ss
    CHECK(page.url == server.url("/echo"));
    CHECK(page.final_url == server.url("/echo"));

    request.url =
        Url::parse(fmt::format("http://user:secret@127.0.0.1:{}/close-early", server.port())).value();
    CHECK_FALSE(contains(fetcher.fetch(request).error().message, "secret"));

    // A page that redirects to a URL with credentials does not make us log in somewhere.
    const std::string target = fmt::format("http://user:secret@127.0.0.1:{}/echo", elsewhere.port());
    CHECK_FALSE(contains(fetch(redirect_to(target)).value().body, "Authorization"));
}

TEST_CASE_FIXTURE(Fixture, "a cookie set on the way is sent on the next hop, and forgotten with the fetch") {
    CHECK(fetch("/cookies").value().body == "taste=oat");
    CHECK(fetch("/cookies/show").value().body.empty());

    FetchRequest request = this->request("/cookies");
    request.headers = {{"Cookie", "own=1"}};
    CHECK(fetcher.fetch(request).value().body == "own=1; taste=oat");
}

TEST_CASE_FIXTURE(Fixture, "a page that sets a cookie and sends us back to itself is no circle") {
    server.on("/gate", [](const ServerRequest& request, Connection& connection) {
        if (header_value(request.headers, "Cookie") == "seen=1")
            connection.respond(200, {}, "inside");
        else
            connection.respond(302, {{"Location", "/gate"}, {"Set-Cookie", "seen=1"}}, "");
    });
    CHECK(fetch("/gate").value().body == "inside");
}

TEST_CASE_FIXTURE(Fixture, "a server that fails twice is asked a third time") {
    const Page page = fetch("/flaky").value();
    CHECK(page.status == 200);
    CHECK(server.count_requests("/flaky") == 3);
}

TEST_CASE_FIXTURE(Fixture, "a server that keeps failing is asked four times in all") {
    CHECK(fetch("/status/503").value().status == 503);
    CHECK(server.count_requests("/status/503") == 4);

    const Error error = error_of("/close-early");
    CHECK(error.code == ErrorCode::unavailable);
    CHECK(contains(error.message, "closed the connection without an answer"));
}

TEST_CASE_FIXTURE(Fixture, "a failure that was retried says how often") {
    Fetcher patient(*client, {.retry = {.max_retries = 2, .base = 0ms}});
    const auto page = patient.fetch(request("/close-early"));
    CHECK(page.error().message ==
          fmt::format("cannot fetch {}: server closed the connection without an answer (tried "
                      "3 times)",
                      server.url("/close-early")));
}

TEST_CASE_FIXTURE(Fixture, "a retry waits for the time that the server asked for") {
    const auto before = std::chrono::steady_clock::now();
    Fetcher once(*client, {.retry = {.max_retries = 1, .base = 0ms}});
    CHECK(once.fetch(request("/status/503?retry-after=1")).value().status == 503);
    CHECK(std::chrono::steady_clock::now() - before >= 1s);
    CHECK(server.requests().size() == 2);
}

TEST_CASE_FIXTURE(Fixture, "a server that asks for too long a wait is given up at once") {
    for (const char* path : {"/status/429?retry-after=3600",
                             "/status/503?retry-after=Fri,%2031%20Dec%209999%2023:59:59%20GMT"}) {
        const Error error = error_of(path);
        CHECK(error.code == ErrorCode::unavailable);
        CHECK_MESSAGE(contains(error.message, "server asks to wait"), error.message);
    }
    CHECK(server.requests().size() == 2);
}

TEST_CASE_FIXTURE(Fixture, "with retries left to the caller, a 429 or 503 is a page at once") {
    for (const char* path : {"/status/429?retry-after=3600", "/status/503?retry-after=7"}) {
        FetchRequest request = this->request(path);
        request.retry = Retry::none;
        const Page page = fetcher.fetch(request).value();
        CHECK(page.status == (std::string_view(path).starts_with("/status/429") ? 429 : 503));
        CHECK(retry_after(page.headers, {}) == (page.status == 429 ? 3600s : 7s));
    }
    CHECK(server.requests().size() == 2);
}

TEST_CASE_FIXTURE(Fixture, "with retries left to the caller, a failure is told after one try") {
    FetchRequest request = this->request("/close-early");
    request.retry = Retry::none;
    CHECK(fetcher.fetch(request).error().message ==
          fmt::format("cannot fetch {}: server closed the connection without an answer",
                      server.url("/close-early")));
    CHECK(server.requests().size() == 1);
}

TEST_CASE_FIXTURE(Fixture,
                  "with retries left to the caller, answers keep the breaker closed and silence opens it") {
    FetchRequest request = this->request("/status/503");
    request.retry = Retry::none;
    for (int i = 0; i < 20; ++i) CHECK(fetcher.fetch(request).value().status == 503);

    request.url = Url::parse(elsewhere.url("/close-early")).value();
    for (int i = 0; i < 20; ++i) CHECK(fetcher.fetch(request).error().code == ErrorCode::unavailable);
    CHECK(elsewhere.count_requests("/close-early") == 5);
}

TEST_CASE_FIXTURE(Fixture, "a redirect that may not be followed is the page") {
    std::vector<std::string> asked;
    FetchRequest request = this->request(redirect_to("/redirect-to?u=/ok"));
    request.may_follow = [&](const Url& next) {
        asked.push_back(next.href());
        return next.path() != "/ok";
    };

    const Page page = fetcher.fetch(request).value();

    CHECK(asked == std::vector{server.url("/redirect-to?u=/ok"), server.url("/ok")});
    CHECK(page.status == 302);
    CHECK(page.url == request.url.href());
    CHECK(page.final_url == server.url("/redirect-to?u=/ok"));
    const Url from = Url::parse(page.final_url).value();
    CHECK(redirect_target(from, header_value(page.headers, "Location")).value().href() == asked.back());
    CHECK(server.count_requests("/ok") == 0);
}

TEST_CASE_FIXTURE(Fixture,
                  "a redirect that may be followed is, and one that leads nowhere is not asked about") {
    int asked = 0;
    FetchRequest request = this->request(redirect_to("/ok"));
    request.may_follow = [&](const Url&) { return ++asked > 0; };
    CHECK(fetcher.fetch(request).value().status == 200);
    CHECK(asked == 1);

    request.url = Url::parse(server.url(redirect_to("file:///etc/passwd"))).value();
    CHECK(fetcher.fetch(request).error().code == ErrorCode::refused);
    CHECK(asked == 1);
}

TEST_CASE_FIXTURE(Fixture, "an origin that failed five times in a row is left alone, others are not") {
    Fetcher once(*client, {.retry = {.max_retries = 0}});
    for (int i = 0; i < 5; ++i) CHECK_FALSE(once.fetch(request("/close-early")));

    const auto refused = once.fetch(request("/ok"));

    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::unavailable);
    CHECK_MESSAGE(contains(refused.error().message, "Service unavailable: "), refused.error().message);
    CHECK(server.requests().size() == 5);
    FetchRequest other = request("/");
    other.url = Url::parse(elsewhere.url("/ok")).value();
    CHECK(once.fetch(other).value().status == 200);
}

TEST_CASE_FIXTURE(Fixture,
                  "a breaker that has opened lets one fetch try after its time, and closes when that works") {
    Fetcher once(*client, {.retry = {.max_retries = 0}, .breaker = {.failures = 1, .reset = 0ms}});
    CHECK(once.fetch(request("/status/500")).value().status == 500);
    CHECK(once.fetch(request("/ok")).value().status == 200);
    CHECK(once.fetch(request("/ok")).value().status == 200);
}

TEST_CASE_FIXTURE(Fixture, "the tries of one fetch are one failure to the breaker") {
    for (int i = 0; i < 4; ++i) CHECK(fetch("/status/503").value().status == 503);
    CHECK(server.count_requests("/status/503") == 16);
    CHECK(fetch("/ok").value().status == 200);
}

TEST_CASE_FIXTURE(Fixture, "no retry begins when patience is at its end") {
    Fetcher impatient(*client, {.patience = 500ms});  // shorter than the first backoff
    CHECK(impatient.fetch(request("/status/503")).value().status == 503);
    CHECK(server.requests().size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "content that nobody wants is not downloaded") {
    FetchRequest request = this->request("/large?bytes=40000000");
    request.wants_content = [](std::string_view type) { return type.starts_with("text/html"); };
    const Page page = fetcher.fetch(request).value();
    CHECK(page.status == 200);
    CHECK(page.content_type == "text/plain; charset=utf-8");
    CHECK(page.body.empty());
}

TEST_CASE_FIXTURE(Fixture, "the body of a redirect does not matter, however long it is or broken") {
    server.on("/moved", [](const ServerRequest&, Connection& connection) {
        connection.send_head(
            302, {{"Location", "/ok"}, {"Content-Length", "99999999"}, {"Content-Encoding", "gzip"}});
        connection.send(std::string(100'000, 'x'));
        connection.close_after_this();
    });
    CHECK(fetch("/moved").value().final_url == server.url("/ok"));
}

TEST_CASE_FIXTURE(Fixture, "limits of one request replace the configured ones") {
    FetchRequest request = this->request("/large?bytes=2000");
    request.limits = net::HttpLimits{.body_bytes = 1000};
    const auto page = fetcher.fetch(request);
    CHECK(page.error().code == ErrorCode::too_large);
    CHECK(contains(page.error().message, "answer is larger than 1000 bytes"));
}

TEST_CASE_FIXTURE(Fixture, "all redirects of a try share its timeout") {
    server.on("/slow-hop", [](const ServerRequest& request, Connection& connection) {
        const int n = std::atoi(request.parameter("n").c_str());
        if (connection.pause(60ms))
            connection.respond(302, {{"Location", fmt::format("/slow-hop?n={}", n + 1)}}, "");
    });
    FetchRequest request = this->request("/slow-hop?n=0");
    request.limits = net::HttpLimits{.timeout = 200ms};
    Fetcher impatient(*client, {.retry = {.max_retries = 0}});
    CHECK(impatient.fetch(request).error().code == ErrorCode::timeout);
    CHECK(server.count_requests("/slow-hop") <= 4);
}

TEST_CASE_FIXTURE(Fixture, "a stop request ends a fetch that waits for its next try") {
    Fetcher patient(*client, {.patience = 2h, .retry = {.base = 1h, .longest = 1h}});
    std::stop_source stop;
    server.on("/busy", [stop](const ServerRequest&, Connection& connection) {
        connection.respond(503, {}, "");
        std::stop_source(stop).request_stop();
    });
    FetchRequest request = this->request("/busy");
    request.stop = stop.get_token();
    CHECK(patient.fetch(request).error().code == ErrorCode::interrupted);
}

TEST_CASE_FIXTURE(Fixture, "closing the client ends fetches under way, also when the fetcher is gone") {
    std::latch done(20);
    std::atomic<int> interrupted = 0;
    {
        Fetcher brief(*client, quick());
        for (int i = 0; i < 20; ++i)
            brief.fetch(request("/never"), [&](Result<Page> page) {
                interrupted += !page && page.error().code == ErrorCode::interrupted;
                done.count_down();
            });
    }
    client.reset();
    done.wait();
    CHECK(interrupted == 20);
}

TEST_CASE_FIXTURE(Fixture, "two hundred fetches with redirects run at once") {
    constexpr int count = 200;
    std::latch done(count);
    std::atomic<int> good = 0;
    for (int i = 0; i < count; ++i)
        fetcher.fetch(request(redirect_to("/ok")), [&](Result<Page> page) {
            good += page && page->status == 200;
            done.count_down();
        });
    done.wait();
    CHECK(good == count);
}
