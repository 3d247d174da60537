// The commands that use a browser, as a user runs them.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include "browser/branded_page.h"
#include "browser/browser_site.h"
#include "browser/supervisor.h"
#include "program/run_quarry.h"

using namespace quarry;
using namespace std::chrono_literals;
using test::Ran;
using test::run_quarry;
namespace json = boost::json;

namespace {

constexpr const char* application = R"(<!doctype html><title>Stones</title><div id="root"></div><script>
    document.getElementById('root').innerHTML = '<h1>Stones</h1><p>' + 'Granite is solid and grey. '.repeat(20)</script>)";

std::string beginning_of(const std::string& path) {
    std::ifstream file(path);
    std::string bytes(8, '\0');
    file.read(bytes.data(), 8);
    return bytes;
}

}  // namespace

TEST_CASE("screenshot writes a picture for each page, and prints where") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    place.page("/a", application);
    place.page("/b", "<h1>b</h1>");
    test::TemporaryFolder folder;
    const std::string pictures = folder.path() + "/pictures/";

    const Ran ran = run_quarry({"screenshot", place.site.url("/a"), place.site.url("/b"), "--allow-private",
                                "-o", pictures, "--json"});

    CAPTURE(ran.err);
    CHECK(ran.exit_code == 0);
    CHECK(ran.out.find("\"success\":true") != ran.out.rfind("\"success\":true"));
    const json::object record = json::parse(ran.out.substr(0, ran.out.find('\n'))).as_object();
    const std::string path(record.at("file_path").as_string());
    CHECK(path.starts_with(pictures));
    CHECK(record.at("file_size") == std::filesystem::file_size(path));
    CHECK(record.contains("error") == false);
    int found = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(pictures)) {
        if (!entry.is_regular_file()) continue;
        CHECK(beginning_of(entry.path()) == "\x89PNG\r\n\x1a\n");
        ++found;
    }
    CHECK(found == 2);
}

TEST_CASE("screenshot of a forbidden address is refused, with the way out") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    test::TemporaryFolder folder;

    const Ran ran = run_quarry({"screenshot", place.forbidden.url("/"), "-o", folder.path() + "/a.png"});

    CHECK(ran.exit_code == 1);
    CHECK(ran.err.contains("--allow-private"));
    CHECK(place.forbidden.count_connections() == 0);
}

TEST_CASE("without a browser the command says what to install") {
    const Ran ran = run_quarry({"screenshot", "https://a.example/", "-o", "a.png"},
                               {.environment = {"QUARRY_BROWSER_PATH=/nowhere/chromium"}});

    CHECK(ran.exit_code == 2);
    CHECK(ran.err.contains("browser.path"));
}

TEST_CASE("scrape --render auto reads a page that scripts build, and asks no browser for others") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    place.page("/app", application);
    place.page("/plain", "<h1>Plain</h1><p>" + std::string(500, 'x') + "</p>");

    const Ran app = run_quarry({"scrape", place.site.url("/app"), "--allow-private", "--render", "auto"});
    const Ran plain = run_quarry({"scrape", place.site.url("/plain"), "--allow-private", "--render", "auto"});

    CAPTURE(app.err);
    CHECK(app.exit_code == 0);
    CHECK(app.out.contains("Granite is solid and grey."));
    CHECK(plain.exit_code == 0);
    CHECK(place.site.count_requests("/plain") == 1);
}

TEST_CASE("scrape saves a picture beside the words, of what is in view or of the whole page") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    place.page("/app", application);
    test::TemporaryFolder folder;
    const std::string file = folder.path() + "/a.png", pictures = folder.path() + "/pictures/";

    const Ran one = run_quarry({"scrape", place.site.url("/app"), "--allow-private", "--screenshot", file});
    const Ran whole =
        run_quarry({"scrape", place.site.url("/app"), "--allow-private", "--full-page-screenshot", pictures});
    const Ran both = run_quarry(
        {"scrape", place.site.url("/app"), "--screenshot", file, "--full-page-screenshot", pictures});

    CAPTURE(one.err);
    CHECK(one.exit_code == 0);
    CHECK(one.out.contains("Granite is solid and grey."));
    CHECK(one.err.empty());
    CHECK(beginning_of(file) == "\x89PNG\r\n\x1a\n");
    CHECK(whole.exit_code == 0);
    CHECK(std::distance(std::filesystem::recursive_directory_iterator(pictures), {}) > 0);
    CHECK(both.exit_code == 2);
}

TEST_CASE("scrape --format branding prints what a page looks like") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    place.page("/", test::branded_page);
    const std::string url = place.site.url("/");

    const Ran alone = run_quarry({"scrape", url, "--allow-private", "--format", "branding"});
    const Ran both =
        run_quarry({"scrape", url, "--allow-private", "--formats", "markdown,branding", "--json"});
    const Ran file = run_quarry({"convert", "-", "--formats", "branding"}, {.input = "<p>words</p>"});

    CAPTURE(alone.err);
    CHECK(alone.exit_code == 0);
    const json::value branding = json::parse(alone.out);
    CHECK(branding.at("colors").at("primary") == "#7A1FA2");
    const json::value record = json::parse(both.out);
    CHECK(record.at("branding") == branding);
    CHECK(std::string(record.at("markdown").as_string()).contains("Granite is solid"));
    CHECK(file.exit_code == 2);
    CHECK(file.err.contains("quarry scrape"));
}

TEST_CASE("quarry may be killed while a page is in its browser: nothing of it is left") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    place.page("/page", "<h1>page</h1><img src=\"/never\">");
    place.site.on("/never", [](const test::ServerRequest&, test::Connection& connection) {
        connection.wait_for_close();
    });
    test::TemporaryFolder folder;
    test::StartedQuarry quarry(
        {"screenshot", place.site.url("/page"), "--allow-private", "-o", folder.path() + "/a.png"});
    const auto give_up = std::chrono::steady_clock::now() + 30s;
    while (place.site.count_requests("/never") == 0 && std::chrono::steady_clock::now() < give_up)
        usleep(10'000);
    const auto family = browser::descendants_of(quarry.process());
    REQUIRE(family.size() > 3);

    quarry.send(SIGKILL);
    quarry.wait();

    const auto is_alive = [](pid_t process) {
        std::ifstream file(fmt::format("/proc/{}/stat", process));
        std::string line;
        return std::getline(file, line) && !line.contains(") Z ");
    };
    bool is_any_alive = true;
    while (is_any_alive && std::chrono::steady_clock::now() < give_up) {
        is_any_alive = std::ranges::any_of(family, is_alive);
        usleep(10'000);
    }
    CHECK_FALSE(is_any_alive);
}
