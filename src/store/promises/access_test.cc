// Keys, what was asked of a server, and what it cost.
#include "store/promises/backend.h"

namespace quarry::store::promises {

namespace {

ApiKey key_of(std::string owner, std::uint8_t first_byte) {
    ApiKey key{.owner = std::move(owner), .name = "laptop", .hint = "qk-ab"};
    key.hash[0] = first_byte;
    return key;
}

RequestRecord request_of(Timestamp at, int status) {
    return {.at = at,
            .method = "GET",
            .path = "/v2/crawl/7",
            .route = "/v2/crawl/{id}",
            .status = status,
            .took = 1500us,
            .request_id = "ab12",
            .peer = "127.0.0.1",
            .user_agent = "curl",
            .owner = "local",
            .extra = "{}"};
}

FoundUrl url_of(std::uint64_t number) {
    return {.url = "https://a.example/" + std::to_string(number), .key = {0, number}, .host = "a.example"};
}

}  // namespace

TEST_CASE_TEMPLATE("a key is kept as it was given, and stays in the list when it is revoked", Backend,
                   EVERY_STORE) {
    Backend backend;

    const std::int64_t first = backend.store->add_key(key_of("team", 1)).value();
    const std::int64_t second = backend.store->add_key(key_of("local", 2)).value();
    CHECK(backend.store->revoke_key(first).value());

    const auto keys = backend.reader->keys().value();
    REQUIRE(keys.size() == 2);
    CHECK(keys[0].id == first);
    CHECK(keys[0].owner == "team");
    CHECK(keys[0].name == "laptop");
    CHECK(keys[0].hint == "qk-ab");
    CHECK(keys[0].hash == key_of("", 1).hash);
    CHECK(keys[0].created_at == backend.clock.now());
    CHECK(keys[0].revoked_at == backend.clock.now());
    CHECK(keys[1].id == second);
    CHECK_FALSE(keys[1].revoked_at.has_value());
}

TEST_CASE_TEMPLATE("a key is revoked once", Backend, EVERY_STORE) {
    Backend backend;
    const std::int64_t id = backend.store->add_key(key_of("team", 1)).value();

    CHECK(backend.store->revoke_key(id).value());
    CHECK_FALSE(backend.store->revoke_key(id).value());
    CHECK_FALSE(backend.store->revoke_key(id + 1).value());
}

TEST_CASE_TEMPLATE("no two keys have the same hash", Backend, EVERY_STORE) {
    Backend backend;
    CHECK(backend.store->add_key(key_of("team", 1)));

    CHECK(backend.store->add_key(key_of("other", 1)).error().code == ErrorCode::conflict);
    CHECK(backend.reader->keys().value().size() == 1);
}

TEST_CASE_TEMPLATE("limits of an owner outlive a restart", Backend, EVERY_STORE) {
    Backend backend;
    const OwnerLimits limits{.running_jobs = 5,
                             .running_groups = 2,
                             .open_jobs = 9,
                             .requests_per_minute = 60,
                             .pages_per_month = 1'000,
                             .stored_bytes = 5'000'000'000};
    CHECK_FALSE(backend.reader->limits("team").value().has_value());

    CHECK(backend.store->set_limits("team", limits));
    backend.restart();

    CHECK(backend.reader->limits("team").value() == limits);
    CHECK_FALSE(backend.reader->limits("nobody").value().has_value());
}

TEST_CASE_TEMPLATE("requests are kept one by one and then by day", Backend, EVERY_STORE) {
    Backend backend;
    const Timestamp start = backend.clock.now();
    const std::vector<RequestRecord> requests = {request_of(start, 200), request_of(start + 1s, 404),
                                                 request_of(start + 2s, 200)};
    CHECK(backend.store->add_requests(requests));

    const auto kept = backend.reader->requests({}).value();
    REQUIRE(kept.size() == 3);
    CHECK(kept[0].at == start + 2s);
    CHECK(kept[0].route == "/v2/crawl/{id}");
    CHECK(kept[0].took == 1500us);
    CHECK(kept[0].peer == "127.0.0.1");
    CHECK(backend.reader->requests({.least_status = 400}).value().size() == 1);
    CHECK(backend.reader->requests({.since = start + 1s, .before = start + 2s}).value().size() == 1);
    CHECK(backend.reader->requests({.owner = "team"}).value().empty());

    backend.clock.advance(2h);
    CHECK(backend.store->sweep({.metrics = 1h}, 10s).value().requests == 3);

    CHECK(backend.reader->requests({}).value().empty());
    const auto days = backend.reader->request_days(10).value();
    REQUIRE(days.size() == 2);
    CHECK(days[0].status == 200);
    CHECK(days[0].requests == 2);
    CHECK(days[0].took == 3000us);
    CHECK(days[1].requests == 1);
}

TEST_CASE_TEMPLATE("pages count for their owner, also when their crawl is gone", Backend, EVERY_STORE) {
    Backend backend;
    backend.store->add_group({.owner = "team", .zero_retention = true}, {}, {url_of(1), url_of(2), url_of(3)})
        .value();
    const auto leased = backend.lease_urls(3);
    backend.finish(leased.at(0).lease);
    backend.finish(leased.at(1).lease);
    backend.finish(leased.at(2).lease, {.end = Failed{"no"}});
    backend.clock.advance(2h);
    CHECK(backend.store->sweep({}, 10s).value().groups == 1);

    const auto days = backend.reader->usage("team", {}).value();
    REQUIRE(days.size() == 1);
    CHECK(days[0].pages == 2);
    CHECK(backend.reader->usage("local", {}).value().empty());
    CHECK(backend.reader->usage("team", days[0].day + 24h).value().empty());
}

TEST_CASE_TEMPLATE("an owner begins no two groups of the same request key", Backend, EVERY_STORE) {
    Backend backend;
    CHECK(backend.store->add_group({.owner = "team", .request_key = "k"}, {}, {url_of(1)}));

    const auto again = backend.store->add_group({.owner = "team", .request_key = "k"}, {}, {url_of(1)});

    CHECK(again.error().code == ErrorCode::conflict);
    CHECK(backend.store->add_group({.owner = "other", .request_key = "k"}, {}, {url_of(1)}));
    CHECK(backend.store->add_group({.owner = "team", .request_key = "l"}, {}, {url_of(1)}));
    CHECK(backend.store->add_group({.owner = "team"}, {}, {url_of(1)}));
    CHECK(backend.reader->groups({}).value().size() == 4);
}

TEST_CASE_TEMPLATE("a URL that failed says what kind of error it was", Backend, EVERY_STORE) {
    Backend backend({.url_attempts = 1});
    const GroupId group = backend.store->add_group({}, {}, {url_of(1), url_of(2), url_of(3)}).value();
    const auto leased = backend.lease_urls(3);

    backend.finish(leased.at(0).lease, {.end = Failed{"no such name", ErrorCode::not_found}});
    backend.finish(leased.at(1).lease, {.end = Retry{.error = "too slow", .code = ErrorCode::timeout}});
    backend.finish(leased.at(2).lease);

    const auto urls = backend.reader->urls({.group = group}).value();
    CHECK(urls.at(0).error == ErrorCode::not_found);
    CHECK(urls.at(1).error == ErrorCode::timeout);
    CHECK_FALSE(urls.at(2).error.has_value());
}

}  // namespace quarry::store::promises
