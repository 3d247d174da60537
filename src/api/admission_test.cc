#include "api/admission.h"

#include <doctest/doctest.h>

#include "servers/temporary_folder.h"
#include "store/sqlite/store.h"

using namespace quarry;
using namespace quarry::api;

TEST_CASE("only names that no DNS decides mean this machine") {
    for (const char* host : {"localhost", "localhost:3002", "127.0.0.1", "127.0.0.1:3002", "127.1.2.3:80",
                             "[::1]", "[::1]:3002"}) {
        CAPTURE(host);
        CHECK(is_this_machine(host));
    }
    for (const char* host :
         {"", ":3002", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "127.evil",
          "128.0.0.1", "[::2]", "::1", "0x7f.1", "127.0.0.1@evil.example", "[::1].evil.example"}) {
        CAPTURE(host);
        CHECK_FALSE(is_this_machine(host));
    }
}

TEST_CASE("requests for another's name, and from another's pages, are refused") {
    const auto refusal = [](const char* host, const char* origin) {
        Request request{.headers = {{.name = "Host", .value = host}}};
        if (origin) request.headers.push_back({.name = "Origin", .value = origin});
        return refusal_of_stranger(request).has_value();
    };

    CHECK_FALSE(refusal("127.0.0.1:3002", nullptr));
    CHECK_FALSE(refusal("localhost:3002", "http://localhost:5173"));
    CHECK(refusal("rebound.example:3002", nullptr));
    CHECK(refusal("127.0.0.1:3002", "https://evil.example"));
    CHECK(refusal("127.0.0.1:3002", "null"));
    CHECK(refusal("127.0.0.1:3002", "file://"));
    CHECK(refusal("127.0.0.1:3002", "http://127.0.0.1.evil.example"));
    CHECK(refusal_of_stranger(Request{}).has_value());
}

using namespace quarry;
using namespace quarry::api;

namespace {

struct Place {
    test::TemporaryFolder folder;
    std::unique_ptr<store::Store> store =
        store::open_sqlite_store({.path = folder.file("quarry.db"), .limits = {.low_disk_bytes = 0}}).value();
    std::unique_ptr<store::Reader> reader = store::open_sqlite_reader(folder.file("quarry.db")).value();

    std::int64_t add_key(const std::string& key, const std::string& owner) {
        return store->add_key({.owner = owner, .hash = hash_of_key(key)}).value();
    }
};

Request request_with(std::vector<Header> headers) {
    headers.push_back({.name = "Host", .value = "127.0.0.1:3002"});
    return {.headers = std::move(headers)};
}

Request with_token(const std::string& token) {
    return request_with({{.name = "Authorization", .value = "Bearer " + token}});
}

int status_of(const std::expected<std::string, Response>& admitted) {
    return admitted ? 200 : admitted.error().status;
}

}  // namespace

TEST_CASE("a token is what stands behind Bearer, unless it is none") {
    CHECK(token_of(with_token("fc-1")) == "fc-1");
    CHECK(token_of(request_with({{.name = "authorization", .value = "bearer  fc-1 "}})) == "fc-1");
    CHECK(token_of(request_with({{.name = "X-Api-Key", .value = "fc-2"}})) == "fc-2");
    CHECK(token_of(with_token("undefined")).empty());
    CHECK(token_of(request_with({{.name = "Authorization", .value = "Bearer"}})).empty());
    CHECK(token_of(request_with({{.name = "Authorization", .value = "Basic abc"}})).empty());
    CHECK(token_of(request_with({})).empty());
}

TEST_CASE("a WebSocket offers its key as a protocol") {
    Request request = request_with({{.name = "Sec-WebSocket-Protocol", .value = "fc-3, other"}});
    CHECK(token_of(request).empty());
    request.is_upgrade = true;
    CHECK(token_of(request) == "fc-3");
}

TEST_CASE("without keys everybody on this machine is local, whatever they send") {
    Place place;
    Admission admission({});
    REQUIRE(admission.keyring().read(*place.reader));

    CHECK(admission.admit(request_with({}), Access::key) == "local");
    CHECK(admission.admit(with_token("anything"), Access::key) == "local");
    const Request from_page = request_with({{.name = "Origin", .value = "https://evil.example"}});
    CHECK(status_of(admission.admit(from_page, Access::key)) == 403);
}

TEST_CASE("a key makes its owner, and one that is none is refused") {
    Place place;
    place.add_key("fc-team", "team");
    const std::int64_t revoked = place.add_key("fc-old", "old");
    REQUIRE(place.store->revoke_key(revoked).value());
    Admission admission({});
    CHECK(admission.keyring().is_stale());
    REQUIRE(admission.keyring().read(*place.reader));
    CHECK_FALSE(admission.keyring().is_stale());

    CHECK(admission.admit(with_token("fc-team"), Access::key) == "team");
    CHECK(status_of(admission.admit(with_token("fc-old"), Access::key)) == 401);
    CHECK(status_of(admission.admit(with_token("fc-tea"), Access::key)) == 401);
}

TEST_CASE("as soon as there is a key everybody needs one, unless it is said otherwise") {
    Place place;
    Admission standard({}), always({.need_here = KeyNeed::always}), never({.need_here = KeyNeed::never});
    for (Admission* admission : {&standard, &always, &never})
        REQUIRE(admission->keyring().read(*place.reader));
    CHECK(standard.admit(request_with({}), Access::key) == "local");
    CHECK(status_of(always.admit(request_with({}), Access::key)) == 401);

    place.add_key("fc-team", "team");
    for (Admission* admission : {&standard, &always, &never})
        REQUIRE(admission->keyring().read(*place.reader));

    CHECK(status_of(standard.admit(request_with({}), Access::key)) == 401);
    CHECK(status_of(always.admit(request_with({}), Access::key)) == 401);
    CHECK(never.admit(request_with({}), Access::key) == "local");
}

TEST_CASE("who has the last key revoked is nobody, and does not become the machine's own") {
    Place place;
    REQUIRE(place.store->revoke_key(place.add_key("fc-last", "team")).value());
    Admission admission({});
    REQUIRE(admission.keyring().read(*place.reader));

    CHECK(status_of(admission.admit(with_token("fc-last"), Access::key)) == 401);
    CHECK(status_of(admission.admit(request_with({}), Access::key)) == 401);
}

TEST_CASE("what is about all owners is shown to the machine's own") {
    Place place;
    place.add_key("fc-team", "team");
    place.add_key("fc-operator", "local");
    Admission admission({});
    REQUIRE(admission.keyring().read(*place.reader));

    CHECK(status_of(admission.admit(with_token("fc-team"), Access::operator_only)) == 403);
    CHECK(status_of(admission.admit(request_with({}), Access::operator_only)) == 401);
    CHECK(admission.admit(with_token("fc-operator"), Access::operator_only) == "local");
}

TEST_CASE("with a key any host and origin may ask") {
    Place place;
    place.add_key("fc-team", "team");
    Admission admission({});
    REQUIRE(admission.keyring().read(*place.reader));
    Request request = with_token("fc-team");
    request.headers.push_back({.name = "Origin", .value = "https://app.example"});

    CHECK(admission.admit(request, Access::key) == "team");
}

TEST_CASE("what a proxy forwards is never this machine's own") {
    Place place;
    const auto admit = [&](AdmissionRules rules, const Request& request) {
        Admission admission(std::move(rules));
        REQUIRE(admission.keyring().read(*place.reader));
        return status_of(admission.admit(request, Access::key));
    };
    Request from_proxy = request_with({});
    from_proxy.peer = "127.0.0.9";
    const AdmissionRules named{.trusted_proxies = {net::Network::parse("127.0.0.9").value()}};

    for (const char* name : {"X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"}) {
        CAPTURE(name);
        const Request forwarded = request_with({{.name = name, .value = "203.0.113.9"}});
        CHECK(admit({}, forwarded) == 401);
        CHECK(admit({.need_here = KeyNeed::never}, forwarded) == 401);
        CHECK(admit({.answers_strangers = true}, forwarded) == 200);
    }
    CHECK(admit(named, from_proxy) == 401);
    CHECK(admit(named, request_with({})) == 200);
}

TEST_CASE("who asks is whom trusted proxies name, and nobody else is believed") {
    const Admission admission({.trusted_proxies = {net::Network::parse("10.0.0.0/8").value(),
                                                   net::Network::parse("127.0.0.1").value()}});
    const auto client = [&](const char* peer, const char* name, const char* value) {
        Request request = request_with({{.name = name, .value = value}});
        request.peer = peer;
        return admission.client_of(request);
    };

    CHECK(client("198.51.100.7", "X-Forwarded-For", "203.0.113.9") == "198.51.100.7");
    CHECK(client("127.0.0.1", "X-Forwarded-For", "203.0.113.9") == "203.0.113.9");
    CHECK(client("127.0.0.1", "X-Forwarded-For", "1.2.3.4, 203.0.113.9") == "203.0.113.9");
    CHECK(client("127.0.0.1", "X-Forwarded-For", "203.0.113.9, 10.1.2.3") == "203.0.113.9");
    CHECK(client("127.0.0.1", "X-Forwarded-For", "10.1.2.3") == "10.1.2.3");
    CHECK(client("127.0.0.1", "X-Forwarded-For", "nobody") == "127.0.0.1");
    CHECK(client("127.0.0.1", "X-Forwarded-For", "1.2.3.4, nobody") == "127.0.0.1");
    CHECK(client("127.0.0.1", "Forwarded", "for=192.0.2.60;proto=http;by=203.0.113.43") == "192.0.2.60");
    CHECK(client("127.0.0.1", "Forwarded", "proto=http; For=\"[2001:db8::17]:4711\"") == "2001:db8::17");
    CHECK(client("127.0.0.1", "Forwarded", "for=\"") == "127.0.0.1");
    CHECK(client("127.0.0.1", "Forwarded", "for=[") == "127.0.0.1");
    CHECK(client("127.0.0.1", "Accept", "*/*") == "127.0.0.1");
}

TEST_CASE("where others can reach the server nobody is answered without a key, except whether it lives") {
    Place place;
    place.add_key("fc-team", "team");
    Admission admission({.needs_key = true});
    REQUIRE(admission.keyring().read(*place.reader));

    CHECK(status_of(admission.admit(request_with({}), Access::key)) == 401);
    CHECK(status_of(admission.admit(with_token("undefined"), Access::key)) == 401);
    CHECK(status_of(admission.admit(with_token("fc-team"), Access::key)) == 200);
    CHECK(status_of(admission.admit(request_with({}), Access::open)) == 200);
}

TEST_CASE("an owner who asks too often is told when to come back") {
    Place place;
    place.add_key("fc-team", "team");
    REQUIRE(place.store->set_limits("team", {.requests_per_minute = 12}));
    Admission admission({});
    REQUIRE(admission.keyring().read(*place.reader));

    CHECK(admission.admit(with_token("fc-team"), Access::key));
    CHECK(admission.admit(with_token("fc-team"), Access::key));
    const auto third = admission.admit(with_token("fc-team"), Access::key);

    REQUIRE_FALSE(third);
    CHECK(third.error().status == 429);
    CHECK_FALSE(header_value(third.error().headers, "retry-after").empty());
}

TEST_CASE("only welcome origins are told that they may ask") {
    Admission admission({.origins = {"https://app.example"}});
    const auto headers_for = [&](const char* origin) {
        return admission.cors_headers(request_with({{.name = "Origin", .value = origin}}));
    };

    CHECK(header_value(headers_for("https://app.example"), "access-control-allow-origin") ==
          "https://app.example");
    CHECK(headers_for("https://evil.example").empty());
    CHECK(admission.cors_headers(request_with({})).empty());
    CHECK_FALSE(Admission({.origins = {"*"}})
                    .cors_headers(request_with({{.name = "Origin", .value = "https://x.example"}}))
                    .empty());
}

TEST_CASE("a rate is kept evenly") {
    RateLimit limit;
    const RateLimit::Time start{};
    const auto may = [&](int seconds) {
        return !limit.wait_of("team", 6, start + std::chrono::seconds(seconds)).has_value();
    };

    CHECK(may(0));
    CHECK_FALSE(may(0));
    CHECK_FALSE(may(9));
    CHECK(may(10));
    CHECK_FALSE(may(10));
    CHECK(may(100));
    CHECK_FALSE(may(100));
    CHECK(limit.wait_of("team", 6, start + std::chrono::seconds(101)) == std::chrono::seconds(9));
    CHECK_FALSE(limit.wait_of("other", 6, start).has_value());
    CHECK_FALSE(limit.wait_of("team", 0, start).has_value());
}
