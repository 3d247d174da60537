// Pages that attack a browser, or are merely broken.
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "browser/browser_site.h"
#include "browser/supervisor.h"

using namespace quarry;
using namespace std::chrono_literals;
using test::BrowserSite;
using test::shared_pool;

namespace {

// The temporary folder of the browser to which these processes belong.
std::string folder_of(const std::vector<pid_t>& family) {
    for (const pid_t process : family) {
        std::ifstream file(fmt::format("/proc/{}/cmdline", process));
        std::string line;  // Chromium writes its arguments anew, with spaces between
        std::getline(file, line);
        const auto begin = line.find("/tmp/quarry-browser-");
        if (begin != std::string::npos) return line.substr(begin, line.find("/profile", begin) - begin);
    }
    return {};
}

}  // namespace

TEST_CASE("a page that asks and asks is answered, and read") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/page", R"(<h1>page</h1><script>onbeforeunload = () => 'stay';
        for (let i = 0; i < 20; ++i) { alert(i); confirm(i); prompt(i); }
        document.body.append('done asking')</script>)");

    const auto rendered = shared_pool().render(place.request("/page"));

    REQUIRE_MESSAGE(rendered, rendered.error().message);
    CHECK(rendered->html.contains("done asking"));
}

TEST_CASE("elements that are named like what we ask the document for do not stand in our way") {
    REQUIRE_BROWSER();
    BrowserSite place;
    const std::string names = R"(<img name="querySelectorAll"><img name="querySelector"><img name="body">
        <img name="documentElement"><img name="doctype"><img name="createTreeWalker">)";
    place.page("/plain", "<!DOCTYPE html>" + names + "<p>plain words</p>");
    place.page("/shadow", "<!DOCTYPE html>" + names + R"(<div id="card"></div>
        <form action="/x"><input name="childNodes"><input name="attributes"><input name="localName">
        <input name="nodeType"><input name="shadowRoot"><p>in the form</p></form>
        <script>card.attachShadow({mode: 'open'}).innerHTML = '<p>in the shadow</p>'</script>)");

    const auto plain = shared_pool().render(place.request("/plain"));
    const auto shadow = shared_pool().render(place.request("/shadow"));

    REQUIRE_MESSAGE(plain, plain.error().message);
    CHECK(plain->html.starts_with("<!DOCTYPE html>"));
    CHECK(plain->html.contains("plain words"));
    REQUIRE_MESSAGE(shadow, shadow.error().message);
    CHECK(shadow->html.contains("in the shadow"));
    CHECK(shadow->html.contains(R"(<form action="/x">)"));
    CHECK(shadow->html.contains("in the form"));
}

TEST_CASE("an endless script costs its page its time, and the next page nothing") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/endless", "<h1>page</h1><script>for (;;) {}</script>");
    place.page("/next", "<h1>next</h1>");
    auto request = place.request("/endless");
    request.limits.time = 2s;

    const auto endless = shared_pool().render(request);
    const auto next = shared_pool().render(place.request("/next"));

    REQUIRE_FALSE(endless);
    CHECK(endless.error().code == ErrorCode::timeout);
    REQUIRE_MESSAGE(next, next.error().message);
    CHECK(next->html.contains("<h1>next</h1>"));
}

TEST_CASE("a page that takes too much memory is ended, and no other") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/greedy", R"(<script>const all = []; setInterval(() => {
        for (let i = 0; i < 20; ++i) all.push(new Uint8Array(8 << 20).fill(i)); }, 10)</script>)");
    place.page("/next", "<h1>next</h1>");
    browser::PoolConfig config = test::pool_config();
    config.chromium.memory_bytes = 300 << 20;
    browser::Pool pool(config);
    auto request = place.request("/greedy");
    request.wait_time = 15s;

    const auto greedy = pool.render(request);
    const auto next = pool.render(place.request("/next"));

    REQUIRE_FALSE(greedy);
    CHECK(greedy.error().code == ErrorCode::unavailable);
    REQUIRE_MESSAGE(next, next.error().message);
    CHECK(pool.tally().started == 1);
}

TEST_CASE("a download is refused, and a pop-up does no harm") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.site.on("/file", [](const test::ServerRequest&, test::Connection& connection) {
        connection.respond(
            200, {{"Content-Type", "application/octet-stream"}, {"Content-Disposition", "attachment"}},
            "bytes");
    });
    place.page("/popup", "<h1>page</h1><script>open('/file'); open('about:blank')</script>");

    const auto file = shared_pool().render(place.request("/file"));
    const auto popup = shared_pool().render(place.request("/popup"));

    REQUIRE_FALSE(file);
    CHECK(file.error().code == ErrorCode::unsupported);
    REQUIRE_MESSAGE(popup, popup.error().message);
    CHECK(popup->html.contains("<h1>page</h1>"));
}

TEST_CASE("bytes beyond a page's limit are not moved") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/page", R"(<h1>page</h1><script>fetch('/large').catch(() => 0)</script>)");
    place.answer("/large", "application/octet-stream", std::string(20 << 20, 'x'));
    auto request = place.request("/page");
    request.limits.bytes = 1 << 20;

    const auto rendered = shared_pool().render(request);

    REQUIRE_MESSAGE(rendered, rendered.error().message);
    CHECK(rendered->bytes < (3 << 20));
}

TEST_CASE("a browser that is killed is replaced") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/page", "<h1>page</h1>");
    browser::Pool pool(test::pool_config());
    REQUIRE(pool.render(place.request("/page")));
    REQUIRE(test::kill_browser_of(getpid()) > 0);

    const auto rendered = pool.render(place.request("/page"));

    REQUIRE_MESSAGE(rendered, rendered.error().message);
    CHECK(rendered->html.contains("<h1>page</h1>"));
}

TEST_CASE("an idle browser ends") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/page", "<h1>page</h1>");
    browser::PoolConfig config = test::pool_config();
    config.idle = 50ms;
    browser::Pool pool(config);

    REQUIRE(pool.render(place.request("/page")));

    const auto give_up = std::chrono::steady_clock::now() + 20s;
    while (pool.tally().processes > 0 && std::chrono::steady_clock::now() < give_up) usleep(10'000);
    CHECK(pool.tally().processes == 0);
}

TEST_CASE("whoever uses a browser may be killed: no process and no folder is left") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/page", "<h1>page</h1>");
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    // The forked process starts the browser itself, because threads do not survive a fork. It then waits to
    // be killed.
    const pid_t user = fork();
    if (user == 0) {
        auto started = browser::Instance::start(test::pool_config().chromium);
        const char word = started ? 'y' : 'n';
        (void)!write(ready[1], &word, 1);
        for (;;) pause();
    }
    char word = 0;
    REQUIRE(read(ready[0], &word, 1) == 1);
    CHECK(word == 'y');
    const auto family = browser::descendants_of(user);
    CHECK(family.size() > 2);
    const std::string folder = folder_of(family);
    const bool had_folder = std::filesystem::exists(folder);

    kill(user, SIGKILL);
    waitpid(user, nullptr, 0);

    CHECK(had_folder);

    const auto is_alive = [](pid_t process) {
        std::ifstream file(fmt::format("/proc/{}/stat", process));
        std::string line;
        return std::getline(file, line) && line.find(") Z ") == std::string::npos;
    };
    const auto give_up = std::chrono::steady_clock::now() + 20s;
    bool is_any_alive = true;
    while (std::chrono::steady_clock::now() < give_up &&
           (is_any_alive = std::ranges::any_of(family, is_alive) || std::filesystem::exists(folder)))
        usleep(10'000);
    CHECK_FALSE(is_any_alive);
    close(ready[0]);
    close(ready[1]);
}

TEST_CASE("a pool may go while pages are under way: it waits for those who asked for them") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/page", "<h1>page</h1>");
    browser::PoolConfig config = test::pool_config();
    config.pages_at_once = 2;
    config.pages_per_browser = 1;
    for (std::size_t round = 1; round <= 3; ++round) {
        auto pool = std::make_unique<browser::Pool>(config);
        std::atomic<int> done = 0;
        const auto ask = [&, raw = pool.get()] { done += raw->render(place.request("/page")) ? 1 : 0; };
        std::jthread one(ask), other(ask);
        while (place.site.count_requests("/page") < 2 * round) usleep(1'000);

        pool.reset();

        one.join();
        other.join();
        CHECK(done == 2);
    }
}
