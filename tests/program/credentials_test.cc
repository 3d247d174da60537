// Credentials go to the origin that they belong to, for those who may use them, and nowhere else. A canary
// listens on another port of the same machine and writes down all that it is told.
#include <fstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "program/service.h"
#include "servers/hostile_server.h"

using namespace quarry;
using namespace quarry::test;

namespace {

constexpr std::string_view secret = "s3cret-of-the-wiki";

// The wiki asks for a login, and leads to the canary wherever it can: by a link, a redirect, its robots.txt
// and a sitemap.
struct Canary {
    Canary() {
        wiki.on("/*", [this](const ServerRequest& request, Connection& connection) {
            if (request.path == "/away")
                return (void)connection.respond(302, {{"Location", other.url("/seen")}}, "");
            if (request.path == "/robots.txt")
                return (void)connection.respond(200, {{"Content-Type", "text/plain"}},
                                                "Sitemap: " + other.url("/sitemap.xml"));
            const bool is_known = contains(header_value(request.headers, "Authorization"), secret);
            connection.respond(is_known ? 200 : 401, {{"Content-Type", "text/html"}},
                               fmt::format("<title>Wiki</title><p>Pages of a wiki.<a href='{}'>other</a> "
                                           "<a href=/away>away</a> <a href=/page>page</a>",
                                           other.url("/linked")));
        });
        other.on("/*", [](const ServerRequest&, Connection& connection) {
            connection.respond(200, {{"Content-Type", "text/html"}}, "<p>Words of somebody else.</p>");
        });
    }

    std::string file(std::string_view name, const std::string& text) const {
        const std::string path = home.file(std::string(name));
        std::ofstream(path) << text;
        chmod(path.c_str(), 0600);
        return path;
    }
    std::string credentials(const std::string& owners = "") const {
        return "QUARRY_FETCH_CREDENTIALS=" +
               file("credentials.toml",
                    fmt::format("[\"{}\"]\nbearer_token = \"{}\"\n{}", origin(), secret, owners));
    }
    std::string token() const { return "QUARRY_FETCH_BEARER_TOKEN=" + std::string(secret); }
    std::string origin() const { return fmt::format("http://127.0.0.1:{}", wiki.port()); }

    Ran run(std::vector<std::string> arguments, const std::string& variable) const {
        RunOptions options = home.options();
        options.environment.push_back(variable);
        options.environment.push_back("QUARRY_FETCH_ALLOW_PRIVATE=true");
        options.environment.push_back("QUARRY_FETCH_RETRIES=0");
        return run_quarry(arguments, options);
    }

    std::size_t told(HostileServer& server) const {
        std::size_t count = 0;
        for (const ServerRequest& request : server.requests())
            for (const Header& header : request.headers) count += contains(header.value, secret) ? 1 : 0;
        return count;
    }
    // All that the canary was asked for, and nobody told it anything.
    void check_canary(std::size_t requests_at_least) {
        CHECK(other.requests().size() >= requests_at_least);
        CHECK(told(other) == 0);
    }

    DataHome home;
    HostileServer wiki, other;
};

int scrape_status(const ApiClient& client, const std::string& url) {
    return client.post("/v2/scrape", fmt::format(R"({{"url":"{}","maxAge":0}})", url)).status;
}

}  // namespace

TEST_CASE_FIXTURE(Canary, "commands send credentials to the origin of their start URL, and to no other") {
    for (const std::string& variable : {token(), credentials()}) {
        CAPTURE(variable);

        const Ran page = run({"scrape", wiki.url("/page")}, variable);
        CHECK_MESSAGE(page.exit_code == 0, page.err);
        run({"scrape", wiki.url("/away")}, variable);
        const Ran map = run({"map", wiki.url("/"), "--depth", "2", "--external"}, variable);
        CHECK_MESSAGE(map.exit_code == 0, map.err);
        const Ran crawl = run({"crawl", wiki.url("/"), "--external", "--limit", "20", "--wait"}, variable);
        CHECK_MESSAGE(crawl.exit_code == 0, crawl.err);
        run({"robots", wiki.url("/page")}, variable);
        run({"extract", wiki.url("/page")}, variable);

        for (const ServerRequest& request : wiki.requests())
            CHECK_MESSAGE(contains(header_value(request.headers, "Authorization"), secret), request.target);
    }
    check_canary(6);
}

TEST_CASE_FIXTURE(Canary, "a token of the settings is not sent where a command begins at several origins") {
    const Ran both = run({"scrape", wiki.url("/page"), other.url("/page")}, token());

    CHECK(told(wiki) == 0);
    CHECK(contains(both.err, "fetch.credentials"));
    check_canary(1);
}

TEST_CASE_FIXTURE(Canary, "credentials by origin are sent to theirs where a command begins at several") {
    const Ran both = run({"scrape", wiki.url("/page"), other.url("/page")}, credentials());

    CHECK_MESSAGE(both.exit_code == 0, both.err);
    CHECK(told(wiki) == 1);
    check_canary(1);
}

TEST_CASE_FIXTURE(Canary, "a start page that leads to another origin takes no credentials there") {
    run({"crawl", wiki.url("/away"), "--limit", "5", "--wait"}, token());
    run({"crawl", wiki.url("/away"), "--limit", "5", "--wait", "-H", fmt::format("X-Api-Key: {}", secret)},
        token());

    CHECK(told(wiki) > 0);
    check_canary(2);
}

TEST_CASE_FIXTURE(Canary, "a server ignores the token of the settings, and says what to use instead") {
    Service service(home, free_port(), {token()});

    service.client.post("/v2/scrape", fmt::format(R"({{"url":"{}"}})", other.url("/page")));
    service.client.post("/v2/scrape", fmt::format(R"({{"url":"{}"}})", wiki.url("/page")));
    service.client.post("/v2/map", fmt::format(R"({{"url":"{}"}})", wiki.url("/")));

    CHECK(service.stop() == 0);
    CHECK(told(wiki) == 0);
    check_canary(1);
    const std::string log = read_file(service.log_file());
    CHECK(contains(log, "fetch.bearer_token is ignored"));
    CHECK(contains(log, "fetch.credentials"));
}

TEST_CASE_FIXTURE(Canary, "a server sends credentials by origin for this machine's own requests") {
    Service service(home, free_port(), {credentials()});

    CHECK(scrape_status(service.client, wiki.url("/page")) == 200);
    const std::size_t told_of_a_page = told(wiki);
    scrape_status(service.client, wiki.url("/away"));
    scrape_status(service.client, other.url("/page"));
    service.client.post("/v2/map", fmt::format(R"({{"url":"{}"}})", wiki.url("/")));

    CHECK(service.stop() == 0);
    CHECK(told_of_a_page > 0);
    CHECK(told(wiki) > told_of_a_page);
    check_canary(3);
}

TEST_CASE_FIXTURE(Canary, "a server sends credentials by origin for no owners but those that they name") {
    const auto key_of = [&](const std::string& owner) {
        const Ran key = home.run({"keys", "create", "--owner", owner, "--json"});
        REQUIRE_MESSAGE(key.exit_code == 0, key.err);
        return std::string(boost::json::parse(key.out).at("data").at("key").as_string());
    };
    const std::string one = key_of("team-a"), two = key_of("team-b");
    Service service(home, free_port(), {credentials("owners = [\"team-b\"]\n")});
    const auto client_of = [&](const std::string& key) {
        return ApiClient(service.port(), fmt::format("Authorization: Bearer {}\r\n", key));
    };

    // What robots.txt and pages say to those who log in is kept from others too.
    CHECK(scrape_status(client_of(two), wiki.url("/page")) == 200);
    const std::size_t told_for_two = told(wiki);
    scrape_status(client_of(one), wiki.url("/page"));
    scrape_status(client_of(one), wiki.url("/away"));
    client_of(one).post("/v2/map", fmt::format(R"({{"url":"{}"}})", wiki.url("/")));

    CHECK(service.stop() == 0);
    CHECK(told_for_two > 0);
    CHECK(told(wiki) == told_for_two);
    check_canary(2);
}
