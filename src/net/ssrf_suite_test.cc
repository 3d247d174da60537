// Payloads that people use to reach internal services through a fetcher. Lines that name public hosts are in
// the suite too; nothing here may go to the network for them.
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "net/http_client.h"

using namespace quarry;
using namespace quarry::net;

namespace {

bool is_local_name(std::string_view host) {
    return host == "localhost" || host.ends_with(".localhost");
}

}  // namespace

TEST_CASE("every payload that names an address or another scheme is refused without a connection") {
    const std::filesystem::path suite = QUARRY_SUITES "/suites/ssrf/payload_urls.txt";
    if (!std::filesystem::exists(suite)) {
        MESSAGE("skipped: no " << suite.string());
        return;
    }
    const auto client = HttpClient::open({}).value();
    std::ifstream in(suite);
    int refused = 0;
    int left_to_the_connection = 0;
    for (std::string line; std::getline(in, line);) {
        CAPTURE(line);
        const auto url = url::Url::parse(line);
        const bool is_name =
            url && url->is_http() && !Address::parse(url->host()) && !is_local_name(url->host());
        if (is_name) {
            ++left_to_the_connection;  // A name: the address it resolves to is checked at the socket.
            continue;
        }
        if (line == "http://1.1.1.1") continue;  // The only public address of the suite.
        ++refused;
        if (!url) continue;
        const auto response = client->perform({.url = *url, .limits = {.timeout = std::chrono::seconds(5)}});
        REQUIRE_FALSE(response);
        const ErrorCode code = response.error().code;
        CHECK_MESSAGE((code == ErrorCode::refused || code == ErrorCode::invalid_argument),
                      response.error().message);
    }
    CHECK(refused >= 130);
    MESSAGE(refused << " refused, " << left_to_the_connection << " names left to the connection");
}
