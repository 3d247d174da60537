// HTTP/2 and certificates, against a real nginx.
#include <latch>

#include <doctest/doctest.h>

#include "net/http_client.h"
#include "servers/nginx.h"

using namespace quarry;
using namespace quarry::net;
using namespace std::chrono_literals;

namespace {

std::optional<test::Nginx> start_nginx() {
    return test::Nginx::start_tls("/nonexistent",
                                  "location / { default_type text/plain; return 200 'hello from nginx'; }");
}

HttpRequest request_for(const test::Nginx& nginx) {
    return {.url = url::Url::parse(nginx.url("/")).value(), .policy = {.allow_private = true}};
}

}  // namespace

TEST_CASE("a server that offers HTTP/2 is spoken to in HTTP/2, many requests over few connections") {
    const auto nginx = start_nginx();
    if (!nginx) {
        MESSAGE("skipped: nginx or openssl is not installed");
        return;
    }
    const auto client = HttpClient::open({.ca_file = nginx->ca_file()}).value();
    const HttpResponse first = client->perform(request_for(*nginx)).value();
    CHECK(first.http_version == 20);
    CHECK(first.body == "hello from nginx");

    std::atomic<int> good = 0;
    std::latch done(50);
    for (int i = 0; i < 50; ++i)
        client->submit(request_for(*nginx), [&](Result<HttpResponse> response) {
            good += response && response->status == 200 && response->http_version == 20;
            done.count_down();
        });
    done.wait();
    CHECK(good == 50);
}

TEST_CASE("an open HTTP/2 connection is checked again for a request that may not use it") {
    const auto nginx = start_nginx();
    if (!nginx) {
        MESSAGE("skipped: nginx or openssl is not installed");
        return;
    }
    const auto client = HttpClient::open({.ca_file = nginx->ca_file()}).value();
    // By name, so that only the check at the connection can catch it.
    HttpRequest request = request_for(*nginx);
    request.url = url::Url::parse(nginx->url("/", "localhost")).value();
    REQUIRE(client->perform(request).value().http_version == 20);

    request.policy = {};
    const auto response = client->perform(request);

    REQUIRE_FALSE(response);
    CHECK(response.error().code == ErrorCode::refused);
}

TEST_CASE("a certificate that nobody vouches for is refused, and the address policy holds over TLS") {
    const auto nginx = start_nginx();
    if (!nginx) {
        MESSAGE("skipped: nginx or openssl is not installed");
        return;
    }
    const auto client = HttpClient::open({}).value();
    const auto untrusted = client->perform(request_for(*nginx));
    REQUIRE_FALSE(untrusted);
    CHECK(untrusted.error().code == ErrorCode::refused);
    CHECK(untrusted.error().message.starts_with("certificate of 127.0.0.1 is not trusted"));

    const auto private_address = client->perform({.url = url::Url::parse(nginx->url("/")).value()});
    REQUIRE_FALSE(private_address);
    CHECK(private_address.error().message.starts_with("refused: 127.0.0.1"));
}

TEST_CASE("the file of certificates is read once, not for each connection") {
    const auto nginx =
        test::Nginx::start_tls("/nonexistent", "keepalive_timeout 0; location / { return 204; }");
    if (!nginx) {
        MESSAGE("skipped: nginx or openssl is not installed");
        return;
    }
    const test::TemporaryFolder folder;
    const std::string copy = folder.write("ca.pem", test::read_file(nginx->ca_file()));
    const auto client = HttpClient::open({.ca_file = copy}).value();
    REQUIRE(client->perform(request_for(*nginx)).value().status == 204);

    folder.write("ca.pem", "not a certificate any more");

    CHECK(client->perform(request_for(*nginx)).value().status == 204);
    const auto another = HttpClient::open({.ca_file = copy}).value();
    CHECK_FALSE(another->perform(request_for(*nginx)));
}

TEST_CASE("streams of one HTTP/2 connection that wait for room arrive whole") {
    const test::TemporaryFolder site;
    const std::string body(3'000'000, 'b');
    site.write("body.txt", body);
    const auto nginx = test::Nginx::start_tls(site.path());
    if (!nginx) {
        MESSAGE("skipped: nginx or openssl is not installed");
        return;
    }
    const auto client =
        HttpClient::open({.ca_file = nginx->ca_file(), .max_bytes_in_flight = 100'000}).value();
    HttpRequest request = request_for(*nginx);
    request.url = url::Url::parse(nginx->url("/body.txt")).value();
    REQUIRE(client->perform(request).value().http_version == 20);
    constexpr int count = 12;
    std::atomic<int> good = 0;
    std::latch done(count);
    for (int i = 0; i < count; ++i)
        client->submit(request, [&](const Result<HttpResponse>& response) {
            good += response && response->body == body;
            done.count_down();
        });
    done.wait();
    CHECK(good == count);
}

TEST_CASE("a CA file that cannot be read is said so") {
    const auto nginx = start_nginx();
    if (!nginx) {
        MESSAGE("skipped: nginx or openssl is not installed");
        return;
    }
    const auto client = HttpClient::open({.ca_file = "/nonexistent/ca.pem"}).value();
    const auto response = client->perform(request_for(*nginx));
    REQUIRE_FALSE(response);
    CHECK(response.error().code == ErrorCode::invalid_argument);
}
