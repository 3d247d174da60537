// The published clients of Firecrawl's API, unmodified, against `quarry serve` on a real site. What each of
// them does is in a script beside this file; here are the site, the server, and the client's exit code.
#include <cstdlib>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/wait.h>

#include "browser/chromium.h"
#include "program/data_home.h"
#include "program/service.h"
#include "servers/free_port.h"
#include "servers/imitation_chat.h"
#include "servers/nginx.h"

using namespace quarry;
using namespace quarry::test;

namespace {

// More than one answer of a crawl's status holds, so that clients have a `next` to follow.
constexpr int page_count = 130;

// "" if the clients are there; why they are not otherwise.
std::string install_clients() {
    const TemporaryFolder folder;
    const std::string said = folder.file("said");
    const int status = std::system(
        fmt::format("sh '{}/tests/clients/install.sh' '{}' > '{}'", QUARRY_SOURCE, QUARRY_CLIENTS, said)
            .c_str());
    const std::string reason = read_file(said);
    CAPTURE(reason);
    const int exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    REQUIRE((exit_code == 0 || exit_code == 3));
    return exit_code == 0 ? "" : reason.substr(0, reason.find('\n'));
}

// A start with links to all others, one that robots.txt forbids, and one that leads nowhere.
void write_site(const TemporaryFolder& folder) {
    std::string links = R"(<a href="/private/plans.html">Plans</a> <a href="/loop">Round</a>)";
    for (int number = 1; number <= page_count; ++number) {
        links += fmt::format(R"( <a href="/pages/{0}.html">Stone {0}</a>)", number);
        folder.write(
            fmt::format("pages/{}.html", number),
            fmt::format("<!doctype html><title>Stone {0}</title><main><h1>Stone {0}</h1><p>The block number "
                        "{0} was cut from basalt and is kept in the yard.</p></main>",
                        number));
    }
    folder.write("index.html",
                 "<!doctype html><html lang=en><title>The yard</title><main><h1>The yard</h1><p>Granite is "
                 "the hardest stone of this yard, and <b>marble</b> the whitest.</p><p>" +
                     links + "</p></main>");
    // Nothing links to these: they are for those who scrape with a browser.
    folder.write(
        "browser/form.html",
        "<!doctype html><title>Order</title><style>body{margin:0;background:#fff;font:20px "
        "sans-serif}h1{background:#246;color:#fff;margin:0;padding:20px}</style><main><h1>Order a "
        "stone</h1><p><input id=stone> <button id=order>Order</button></p><p id=said>Nothing was "
        "ordered yet, though there is a lot to choose from.</p></main><script>"
        "document.querySelector('#order').onclick = () => { document.querySelector('#said').outerHTML"
        " = '<p>You have ordered ' + document.querySelector('#stone').value + '.<p>Price: 5' "
        "}</script>");
    folder.write("browser/app.html",
                 "<!doctype html><title>App</title><div id=root></div><script>document.getElementById('root')"
                 ".innerHTML = '<h1>The app</h1><p>' + 'Slate splits into plates. '.repeat(20) + '</p>'"
                 "</script>");
    folder.write(
        "browser/brand.html",
        "<!doctype html><title>Brand</title><link rel=icon href=/favicon.svg><style>body{background:#101418;"
        "color:#eee;font:18px Lato,sans-serif}h1{font:bold 36px Bitter,serif}a{color:#4fc3f7}button{"
        "background:#e65100;color:#fff;border:0;border-radius:12px;padding:8px 16px}</style><header><a "
        "href=/><img class=logo src=/logo.svg width=90 height=30></a></header><main><h1>The yard</h1>"
        "<p>Basalt is dark, and heavier than it looks, as <a href=/pages/1.html>this one</a> is.</p>"
        "<button type=submit>Order</button></main>");
    folder.write("private/plans.html", "<!doctype html><title>Plans</title><p>Nobody reads this.</p>");
    folder.write("robots.txt", "User-agent: *\nDisallow: /private/\n");
}

void run_client(const std::string& script, const std::vector<std::string>& environment = {}) {
    if (const std::string reason = install_clients(); !reason.empty()) {
        MESSAGE("skipped: clients from npm: " << reason);
        return;
    }
    const TemporaryFolder root;
    write_site(root);
    const auto site = Nginx::start(root.path(), "location = /loop { return 302 /loop; }");
    if (!site) {
        MESSAGE("skipped: nginx is not installed");
        return;
    }
    const DataHome home;
    Service service(home, free_port(), environment);

    const Ran ran =
        run_program(std::string(QUARRY_CLIENTS) + "/node", {std::string(QUARRY_CLIENTS) + "/" + script},
                    {.environment = {fmt::format("QUARRY_API=http://127.0.0.1:{}", service.port()),
                                     "QUARRY_SITE=" + site->url(""), "QUARRY_LOG=" + service.log_file(),
                                     "HOME=" + home.path(), "FIRECRAWL_NO_TELEMETRY=1", "NO_COLOR=1"},
                     .folder = home.path()});

    INFO(ran.out << ran.err);
    CHECK(ran.exit_code == 0);
    CHECK(service.stop() == 0);
}

}  // namespace

TEST_CASE("the JavaScript SDK works with the server") {
    run_client("sdk.mjs");
}

TEST_CASE("the JavaScript SDK gets pictures, actions and data from pages in a browser") {
    if (!browser::find_chromium({})) {
        MESSAGE("skipped: there is no browser");
        return;
    }
    const ImitationChat model;

    run_client("sdk_browser.mjs", {"OPENAI_BASE_URL=" + model.url(), "QUARRY_MODEL_NAME=small"});
}

TEST_CASE("Firecrawl's command line works with the server") {
    run_client("cli.mjs");
}

TEST_CASE("the MCP server works with the server") {
    run_client("mcp.mjs");
}
