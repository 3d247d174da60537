// What is not to be kept is not in the files.
#include <filesystem>
#include <fstream>
#include <thread>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "program/service.h"
#include "servers/free_port.h"
#include "servers/hostile_server.h"

using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

// Names of files below the folder that hold the word.
std::vector<std::string> files_with(const std::string& folder, const std::string& word) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        if (bytes.find(word) != std::string::npos) names.push_back(entry.path().filename().string());
    }
    return names;
}

// Words are stored compressed; an address and a title are not.
HostileServer& serve_marked(HostileServer& server) {
    server.on("/*", [](const ServerRequest& request, Connection& connection) {
        const std::string marker = request.path.substr(1);
        connection.respond(200, {{"Content-Type", "text/html"}},
                           fmt::format("<title>{0}</title><article><p>{0} words.</p></article>", marker));
    });
    return server;
}

}  // namespace

TEST_CASE("of a scrape without retention nothing is left once it is delivered") {
    HostileServer server;
    serve_marked(server);
    const DataHome home;
    Service service(home);
    const auto scrape = [&](std::string_view marker, bool is_private) {
        return service.client
            .post("/v2/scrape", fmt::format(R"({{"url":"{}","zeroDataRetention":{}}})",
                                            server.url("/" + std::string(marker)), is_private))
            .json();
    };

    const json::value kept = scrape("keptmarker7", false);
    const json::value secret = scrape("secretmarker7", true);

    REQUIRE(kept.at("success") == true);
    CHECK_FALSE(files_with(home.path(), "keptmarker7").empty());
    REQUIRE(secret.at("success") == true);
    CHECK(secret.at("data").at("markdown").as_string().find("secretmarker7") != json::string::npos);
    const std::string id(secret.at("data").at("metadata").at("scrapeId").as_string());
    // It goes just behind the answer. The test's own time limit ends a wait that has no end.
    while (!files_with(home.path(), "secretmarker7").empty()) std::this_thread::yield();
    CHECK(service.client.get("/v2/scrape/" + id).status == 404);
    CHECK(service.stop() == 0);
    CHECK(files_with(home.path(), "secretmarker7").empty());
    CHECK_FALSE(files_with(home.path(), "keptmarker7").empty());
}

TEST_CASE("of a page that fails without retention nothing is left either") {
    const DataHome home;
    Service service(home);

    const ApiAnswer answer = service.client.post(
        "/v2/scrape", fmt::format(R"({{"url":"http://127.0.0.1:{}/secretmarker8","zeroDataRetention":true}})",
                                  free_port()));

    CHECK(answer.status == 500);
    while (!files_with(home.path(), "secretmarker8").empty()) std::this_thread::yield();
    CHECK(service.stop() == 0);
    CHECK(files_with(home.path(), "secretmarker8").empty());
}

TEST_CASE("a crawl without retention is not searched, and is gone when its time is over") {
    HostileServer server;
    serve_marked(server);
    const DataHome home;
    Service service(home, free_port(), {"QUARRY_RETENTION_ZERO=1s", "QUARRY_RETENTION_CHECK=1s"});
    const ApiAnswer begun = service.client.post(
        "/v2/crawl", fmt::format(R"({{"url":"{}","zeroDataRetention":true}})", server.url("/secretmarker9")));
    REQUIRE(begun.status == 200);
    const std::string path = "/v2/crawl/" + std::string(begun.json().at("id").as_string());

    const json::object status = service.client.wait_for(path);
    CHECK(status.at("data").as_array().size() == 1);
    while (service.client.get(path).status != 404) std::this_thread::yield();
    while (!files_with(home.path(), "secretmarker9").empty()) std::this_thread::yield();

    const json::value found = service.client.post("/v2/search", R"({"query":"secretmarker9"})").json();
    CHECK(found.at("data").at("web").as_array().empty());
}
