// Pages in the browser of a worker: crawls from the command line, and scrapes, batches and crawls over the
// API.
#include <atomic>
#include <thread>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include "browser/branded_page.h"
#include "browser/browser_site.h"
#include "program/service.h"
#include "servers/free_port.h"

using namespace quarry;
using namespace std::chrono_literals;
using test::ApiAnswer;
using test::DataHome;
using test::Ran;
using test::Service;
namespace json = boost::json;

namespace {

// A program that makes a page of `path`, with a link to the next.
std::string application(const std::string& name, const std::string& link = "") {
    return fmt::format(
        R"(<!doctype html><title>{0}</title><div id="root"></div><script>
        document.getElementById('root').innerHTML = '<h1>{0}</h1><p>' + '{0} is solid and grey. '.repeat(20) +
            '</p><a href="{1}">next</a>'</script>)",
        name, link);
}

constexpr const char* form =
    R"(<!doctype html><title>Form</title><style>body{margin:0;background:#0a0}</style>
    <main><h1>A form</h1><input id="stone"><button id="send">Send</button><p id="said"></p></main><script>
    document.querySelector('#send').onclick = () =>
        document.querySelector('#said').textContent = 'You said ' + document.querySelector('#stone').value</script>)";

std::string plain_page(const std::string& name) {
    return "<title>" + name + "</title><main><h1>" + name + "</h1><p>" + std::string(300, 'x') +
           "</p></main>";
}

json::value scrape(const Service& service, const std::string& url, const std::string& more) {
    const ApiAnswer answer =
        service.client.post("/v2/scrape", fmt::format(R"({{"url":"{}",{}}})", url, more));
    CAPTURE(answer.body.substr(0, 1'000));
    REQUIRE(answer.status == 200);
    return answer.json().at("data");
}

// What is behind the address of a picture, without any key.
ApiAnswer file_at(const Service& service, const json::value& address) {
    const std::string url(address.as_string());
    const std::string origin = fmt::format("http://127.0.0.1:{}", service.port());
    REQUIRE(url.starts_with(origin));
    return service.client.get(url.substr(origin.size()));
}

// Of a PNG, from its header.
std::pair<unsigned, unsigned> size_of(const std::string& png) {
    const auto number = [&](std::size_t place) {
        unsigned value = 0;
        for (std::size_t i = 0; i < 4; ++i)
            value = value << 8 | static_cast<unsigned char>(png.at(place + i));
        return value;
    };
    REQUIRE(png.starts_with("\x89PNG"));
    return {number(16), number(20)};
}

}  // namespace

TEST_CASE("crawl --render auto follows links that scripts make, and shows no other page") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    place.page("/", application("Granite", "/second"));
    place.page("/second", application("Basalt", "/third"));
    place.page("/third", plain_page("Third"));
    const DataHome home;

    const Ran ran = home.run({"crawl", place.site.url("/"), "--allow-private", "--render", "auto",
                              "--sitemap", "skip", "--wait", "--json"});

    CAPTURE(ran.err);
    CHECK(ran.exit_code == 0);
    CHECK(home.pages_of(test::id_in(ran)).size() == 3);
    const Ran exported = home.run({"export", "pages", test::id_in(ran)});
    CHECK(exported.out.contains("Basalt is solid and grey."));
}

TEST_CASE("crawl --render auto leaves a site alone that needs no browser") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    place.page("/", plain_page("Plain"));
    const DataHome home;

    const Ran ran = home.run({"crawl", place.site.url("/"), "--allow-private", "--render", "auto",
                              "--sitemap", "skip", "--wait", "--json"});

    CHECK(ran.exit_code == 0);
    CHECK(place.site.count_requests("/") == 1);
}

TEST_CASE("where there is no browser, a page that needs one fails, and says what to install") {
    test::BrowserSite place;
    place.page("/", application("Granite"));
    const DataHome home;
    Service service(home, test::free_port(), {"QUARRY_BROWSER_PATH=/nowhere/chromium"});

    const ApiAnswer empty = service.client.post(
        "/v2/scrape", fmt::format(R"({{"url":"{}","onlyMainContent":false}})", place.site.url("/")));
    const ApiAnswer refused = service.client.post(
        "/v2/scrape", fmt::format(R"({{"url":"{}","formats":["screenshot"]}})", place.site.url("/")));

    CHECK(empty.status == 500);
    CHECK(empty.body.contains("made by scripts"));
    CHECK(empty.body.contains("browser.path"));
    CHECK(refused.status == 500);
    CHECK(refused.body.contains("browser.path"));
}

TEST_CASE("a scrape gives a page that scripts make, without a word about scripts") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    place.page("/app", application("Granite"));
    const DataHome home;
    Service service(home);

    const json::value document = scrape(service, place.site.url("/app"), R"("formats":["markdown"])");

    CHECK(std::string(document.at("markdown").as_string()).contains("Granite is solid and grey."));
    CHECK_FALSE(document.as_object().contains("warning"));
}

TEST_CASE("a screenshot is a picture of the size that was asked for, at an address nobody can guess") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    place.page("/", "<!doctype html><style>body{margin:0}</style><main style='height:3000px'>" +
                        std::string(300, 'x') + "</main>");
    const DataHome home;
    Service service(home);

    const json::value view =
        scrape(service, place.site.url("/"),
               R"("formats":["markdown",{"type":"screenshot","viewport":{"width":640,"height":480}}])");
    const json::value whole = scrape(service, place.site.url("/"), R"("formats":["screenshot@fullPage"])");
    const json::value small =
        scrape(service, place.site.url("/"), R"("formats":[{"type":"screenshot","quality":30}])");

    const ApiAnswer picture = file_at(service, view.at("screenshot"));
    CHECK(picture.headers.contains("Content-Type: image/png"));
    CHECK(size_of(picture.body) == std::pair(640u, 480u));
    CHECK(size_of(file_at(service, whole.at("screenshot")).body).second == 3000);
    CHECK(file_at(service, small.at("screenshot")).body.starts_with("\xff\xd8"));
    CHECK(std::string(view.at("markdown").as_string()).contains("xxx"));
    std::string guessed(view.at("screenshot").as_string());
    char& digit = guessed[guessed.find("/v2/media/") + 10];
    digit = digit == '0' ? '1' : '0';
    CHECK(file_at(service, json::value(guessed)).status == 404);
}

TEST_CASE("actions are done in their order, and give what they were asked for") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    place.page("/form", form);
    const DataHome home;
    Service service(home);

    const json::value document = scrape(service, place.site.url("/form"), R"("actions":[
        {"type":"click","selector":"#stone"}, {"type":"write","text":"marble"}, {"type":"click","selector":"#send"},
        {"type":"wait","milliseconds":10}, {"type":"scrape"}, {"type":"screenshot"},
        {"type":"executeJavascript","script":"document.title + 1"}, {"type":"pdf","format":"A5"}])");

    const json::value& actions = document.at("actions");
    CHECK(std::string(document.at("markdown").as_string()).contains("You said marble"));
    REQUIRE(actions.at("scrapes").as_array().size() == 1);
    CHECK(actions.at("scrapes").at(0).at("url") == json::value(place.site.url("/form")));
    CHECK(std::string(actions.at("scrapes").at(0).at("html").as_string()).contains("You said marble"));
    REQUIRE(actions.at("javascriptReturns").as_array().size() == 1);
    CHECK(actions.at("javascriptReturns").at(0) == json::value{{"type", "string"}, {"value", "Form1"}});
    REQUIRE(actions.at("screenshots").as_array().size() == 1);
    CHECK(size_of(file_at(service, actions.at("screenshots").at(0)).body).first == 1280);
    REQUIRE(actions.at("pdfs").as_array().size() == 1);
    CHECK(file_at(service, actions.at("pdfs").at(0)).body.starts_with("%PDF"));
}

TEST_CASE("an action that cannot be done is said, with its number") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    place.page("/form", form);
    const DataHome home;
    Service service(home);

    const ApiAnswer answer =
        service.client.post("/v2/scrape", fmt::format(R"({{"url":"{}","actions":[{{"type":"scrape"}},
            {{"type":"click","selector":"#nowhere"}}]}})",
                                                      place.site.url("/form")));

    CHECK(answer.status == 400);
    CHECK(answer.body.contains("action 2"));
    CHECK(answer.body.contains("#nowhere"));
}

TEST_CASE("with zero data retention a screenshot is given whole, and nothing of it is kept") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    place.page("/", plain_page("Secret"));
    const DataHome home;
    Service service(home);

    const json::value document =
        scrape(service, place.site.url("/"), R"("formats":["screenshot"],"zeroDataRetention":true)");

    CHECK(
        std::string(document.at("screenshot").as_string()).starts_with("data:image/png;base64,iVBORw0KGgo"));
}

TEST_CASE("a batch and a crawl have pictures of all their pages") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    place.page("/",
               "<title>One</title><main><p>" + std::string(300, 'x') + "</p><a href='/two'>two</a></main>");
    place.page("/two", plain_page("Two"));
    const DataHome home;
    Service service(home);

    const json::value batch =
        service.client
            .post("/v2/batch/scrape", fmt::format(R"({{"urls":["{}","{}"],"formats":["screenshot"]}})",
                                                  place.site.url("/"), place.site.url("/two")))
            .json();
    const json::value crawl =
        service.client
            .post(
                "/v2/crawl",
                fmt::format(
                    R"({{"url":"{}","sitemap":"skip","scrapeOptions":{{"formats":["markdown","screenshot"]}}}})",
                    place.site.url("/")))
            .json();

    for (const std::string& path : {"/v2/batch/scrape/" + std::string(batch.at("id").as_string()),
                                    "/v2/crawl/" + std::string(crawl.at("id").as_string())}) {
        const json::object status = service.client.wait_for(path);
        CHECK(status.at("status") == "completed");
        REQUIRE(status.at("data").as_array().size() == 2);
        for (const json::value& document : status.at("data").as_array())
            CHECK(size_of(file_at(service, document.at("screenshot")).body) == std::pair(1280u, 800u));
    }
}

TEST_CASE("branding is what the page looks like, beside its words") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    place.page("/", test::branded_page);
    const DataHome home;
    Service service(home);

    const json::value document =
        scrape(service, place.site.url("/"), R"("formats":["markdown","branding"],"zeroDataRetention":true)");

    const json::value& branding = document.at("branding");
    CAPTURE(json::serialize(branding));
    CHECK(branding.at("colorScheme") == "light");
    CHECK(branding.at("colors").at("primary") == "#7A1FA2");
    CHECK(branding.at("logo") == json::value(place.site.url("/logo.svg")));
    CHECK(std::string(document.at("markdown").as_string()).contains("Granite is solid"));
}

TEST_CASE("a page is asked for in the form in which it is wanted, not in that of the last time") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    place.page("/", test::branded_page);
    const DataHome home;
    Service service(home);

    scrape(service, place.site.url("/"), R"("formats":["branding"])");
    const json::value words =
        scrape(service, place.site.url("/"), R"("formats":["markdown"],"maxAge":3600000)");
    const json::value again =
        scrape(service, place.site.url("/"), R"("formats":["branding"],"maxAge":3600000)");

    CHECK_FALSE(words.as_object().contains("branding"));
    CHECK(again.as_object().contains("branding"));
}

TEST_CASE("a batch and a crawl have the branding of all their pages") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    place.page("/", test::branded_page);
    place.page("/granite",
               "<!doctype html><body style='background:#102030;color:#fff'><p>" + std::string(300, 'x'));
    const DataHome home;
    Service service(home);

    const json::value batch =
        service.client
            .post("/v2/batch/scrape", fmt::format(R"({{"urls":["{}","{}"],"formats":["branding"]}})",
                                                  place.site.url("/"), place.site.url("/granite")))
            .json();
    const json::value crawl =
        service.client
            .post(
                "/v2/crawl",
                fmt::format(
                    R"({{"url":"{}","sitemap":"skip","scrapeOptions":{{"formats":["markdown","branding"]}}}})",
                    place.site.url("/")))
            .json();

    for (const std::string& path : {"/v2/batch/scrape/" + std::string(batch.at("id").as_string()),
                                    "/v2/crawl/" + std::string(crawl.at("id").as_string())}) {
        const json::object status = service.client.wait_for(path);
        CAPTURE(json::serialize(status));
        CHECK(status.at("status") == "completed");
        REQUIRE(status.at("data").as_array().size() == 2);
        for (const json::value& document : status.at("data").as_array()) {
            const bool is_dark = document.at("metadata").at("url") == json::value(place.site.url("/granite"));
            CHECK(document.at("branding").at("colors").at("background") == (is_dark ? "#102030" : "#FAFAFA"));
        }
    }
}

TEST_CASE("a browser that is killed costs a page another attempt, and not the page") {
    REQUIRE_BROWSER();
    test::BrowserSite place;
    std::atomic<int> shown = 0;
    place.page("/", "<title>Held</title><main><p>" + std::string(300, 'x') + "</p><img src=/held></main>");
    place.site.on("/held", [&shown](const test::ServerRequest&, test::Connection& connection) {
        if (++shown <= 2) return connection.wait_for_close();
        connection.respond(200, {{"Content-Type", "image/svg+xml"}},
                           "<svg xmlns='http://www.w3.org/2000/svg'/>");
    });
    const DataHome home;
    Service service(home);
    ApiAnswer answer;
    std::jthread asks([&] {
        answer = service.client.post(
            "/v2/scrape", fmt::format(R"({{"url":"{}","formats":["screenshot"]}})", place.site.url("/")));
    });
    const auto give_up = std::chrono::steady_clock::now() + 40s;

    for (int killed = 1; killed <= 2; ++killed) {
        while (shown < killed && std::chrono::steady_clock::now() < give_up) usleep(10'000);
        CHECK(test::kill_browser_of(service.process()) > 0);
    }
    asks.join();

    CHECK(shown == 3);
    CAPTURE(answer.body.substr(0, 1'000));
    REQUIRE(answer.status == 200);
    const json::value picture = answer.json().at("data").at("screenshot");
    CHECK(size_of(file_at(service, picture).body) == std::pair(1280u, 800u));
}
