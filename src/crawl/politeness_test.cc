#include "crawl/politeness.h"

#include <chrono>
#include <string>

#include <doctest/doctest.h>

#include "crawl/crawl_health.h"

using namespace quarry;
using namespace quarry::crawl;
using namespace std::chrono_literals;

namespace {

constexpr Timestamp noon{std::chrono::milliseconds(1'760'000'000'000)};
constexpr Observation good{.status = 200, .latency = 10ms};

// Starts and ends one request after the other, each taking as long as it says.
Timestamp answer(HostPace& pace, Timestamp now, int times, const Observation& observation) {
    for (int i = 0; i < times; ++i) {
        pace.started(now);
        now += observation.latency;
        pace.ended(now, observation);
    }
    return now;
}

}  // namespace

TEST_CASE("a host without a delay takes eight requests at once") {
    HostPace pace;
    for (int i = 0; i < 8; ++i) {
        REQUIRE(pace.may_start(noon));
        pace.started(noon);
    }

    CHECK_FALSE(pace.may_start(noon));
    CHECK_FALSE(pace.next_start(noon));

    pace.ended(noon + 1ms, good);
    CHECK(pace.may_start(noon + 1ms));
    CHECK(pace.running() == 7);
}

TEST_CASE("a delay means one request at a time, with that gap") {
    HostPace pace({.delay = 2s});
    CHECK(pace.may_start(noon));
    pace.started(noon);

    CHECK_FALSE(pace.next_start(noon + 3s));
    pace.ended(noon + 500ms, good);
    CHECK_FALSE(pace.may_start(noon + 500ms));
    CHECK(pace.next_start(noon + 500ms) == noon + 2s);
    CHECK(pace.may_start(noon + 2s));
}

TEST_CASE("a request that takes longer than the delay is not followed by another pause") {
    HostPace pace({.delay = 1s});
    pace.started(noon);
    pace.ended(noon + 3s, good);
    CHECK(pace.may_start(noon + 3s));
}

TEST_CASE("the longer of the delays counts, and robots.txt is asked unless it is ignored") {
    CrawlOptions options;
    CHECK(pace_rules(options, std::nullopt).longest_delay() == 0ms);
    CHECK(pace_rules(options, std::nullopt).connections == 8);
    CHECK(pace_rules(options, 3s).longest_delay() == 3s);
    options.delay = 5s;
    CHECK(pace_rules(options, 3s).longest_delay() == 5s);
    CHECK(pace_rules(options, 7s).longest_delay() == 7s);
    options.ignore_robots = true;
    CHECK(pace_rules(options, 7s).longest_delay() == 5s);
}

TEST_CASE("asking for more pages at once raises the share of a host") {
    CrawlOptions options;
    options.max_concurrency = 32;
    HostPace pace(pace_rules(options, std::nullopt));
    CHECK(pace.allowed() == 32);
    pace.set_rules(pace_rules(options, 1s));
    CHECK(pace.allowed() == 1);
    options.max_concurrency = 2;
    CHECK(HostPace(pace_rules(options, std::nullopt)).allowed() == 2);
}

TEST_CASE("two crawls of one host keep the longer delay and share the larger number") {
    const PaceRules both = joined({.connections = 8, .delay = 1s}, {.connections = 32});
    CHECK(both.connections == 32);
    CHECK(both.delay == 1s);
}

TEST_CASE("a host that says 429 is left alone as long as it asks, and gets half the connections") {
    HostPace pace;
    pace.started(noon);
    pace.ended(noon + 50ms, {.status = 429, .latency = 50ms, .retry_after = 30s});

    CHECK(pace.allowed() == 4);
    CHECK_FALSE(pace.may_start(noon + 30s));
    CHECK(pace.next_start(noon + 1s) == noon + 50ms + 30s);
    CHECK(pace.may_start(noon + 31s));
}

TEST_CASE("without Retry-After the pauses grow from a second to a minute, and an answer ends them") {
    HostPace pace;
    Timestamp now = noon;
    for (const auto pause : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s, 60s}) {
        pace.started(now);
        pace.ended(now, {.status = 503});
        REQUIRE(pace.next_start(now));
        CHECK(*pace.next_start(now) == now + pause);
        now += pause;
    }
    CHECK(pace.allowed() == 1);

    now = answer(pace, now, 1, good);
    pace.started(now);
    pace.ended(now, {.status = 503});
    CHECK(*pace.next_start(now) == now + 1s);
}

TEST_CASE("eight refusals of requests that ran together count as one") {
    HostPace pace;
    for (int i = 0; i < 8; ++i) pace.started(noon);
    for (int i = 0; i < 8; ++i)
        pace.ended(noon + 100ms + i * 1ms, {.status = 503, .latency = 100ms + i * 1ms});

    CHECK(pace.allowed() == 4);
    CHECK(*pace.next_start(noon + 200ms) == noon + 1'100ms);
}

TEST_CASE("a later refusal among those can still ask for more time") {
    HostPace pace;
    pace.started(noon);
    pace.started(noon);
    pace.ended(noon + 100ms, {.status = 429, .latency = 100ms, .retry_after = 2s});
    pace.ended(noon + 101ms, {.status = 429, .latency = 101ms, .retry_after = 10s});
    CHECK(*pace.next_start(noon + 200ms) == noon + 10'101ms);
}

TEST_CASE("no server can stop a crawl for longer than an hour at a time") {
    HostPace pace;
    pace.started(noon);
    pace.ended(noon, {.status = 503, .retry_after = 24h * 365});
    CHECK(*pace.next_start(noon) == noon + 1h);
}

TEST_CASE("connections come back one by one after good answers") {
    HostPace pace;
    pace.started(noon);
    pace.ended(noon, {.status = 503, .retry_after = 0s});
    REQUIRE(pace.allowed() == 4);

    Timestamp now = answer(pace, noon + 1s, 9, good);
    CHECK(pace.allowed() == 4);
    now = answer(pace, now, 1, good);
    CHECK(pace.allowed() == 5);
    answer(pace, now, 1'000, good);
    CHECK(pace.allowed() == 8);
}

TEST_CASE("pages that are missing are good answers, broken ones are neither good nor bad") {
    HostPace pace;
    pace.started(noon);
    pace.ended(noon, {.status = 503, .retry_after = 0s});
    Timestamp now = answer(pace, noon + 1s, 9, {.status = 404, .latency = 10ms});
    now = answer(pace, now, 1, {.status = 500, .latency = 10ms});
    CHECK(pace.allowed() == 4);
    CHECK(pace.may_start(now));
    answer(pace, now, 10, {.status = 404, .latency = 10ms});
    CHECK(pace.allowed() == 5);
}

TEST_CASE("time-outs and refused connections shrink a host's share, but never to nothing") {
    HostPace pace;
    Timestamp now = noon;
    for (const int left : {4, 2, 1, 1, 1}) {
        now = answer(pace, now, 1, {.latency = 10s, .failure = Observation::Failure::timeout}) + 1ms;
        CHECK(pace.allowed() == left);
    }
    CHECK(pace.may_start(now));

    HostPace unreachable;
    answer(unreachable, noon, 1, {.latency = 1ms, .failure = Observation::Failure::connection});
    CHECK(unreachable.allowed() == 4);
    CHECK(*unreachable.next_start(noon) == noon + 1'001ms);
}

TEST_CASE("a host that becomes slow gets fewer connections, and more when it recovers") {
    HostPace pace;
    Timestamp now = answer(pace, noon, 50, {.status = 200, .latency = 100ms});
    CHECK(pace.allowed() == 8);

    now = answer(pace, now, 30, {.status = 200, .latency = 3s});
    const int slowed = pace.allowed();
    CHECK(slowed < 8);
    CHECK(slowed >= 1);

    answer(pace, now, 200, {.status = 200, .latency = 100ms});
    CHECK(pace.allowed() == 8);
}

TEST_CASE("a host that was always slow is not slowed further, nor one that is quick enough") {
    HostPace slow;
    answer(slow, noon, 200, {.status = 200, .latency = 5s});
    CHECK(slow.allowed() == 8);

    HostPace quick;
    Timestamp now = answer(quick, noon, 50, {.status = 200, .latency = 1ms});
    answer(quick, now, 50, {.status = 200, .latency = 900ms});
    CHECK(quick.allowed() == 8);
}

TEST_CASE("what was learnt of a host survives a restart") {
    HostPace pace({.delay = 9s, .crawl_delay = 2s});
    pace.started(noon);
    pace.ended(noon, {.status = 429, .retry_after = 60s});

    const HostRule rule = pace.to_rule("a.example");
    HostPace after;
    after.restore(rule, noon + 10s);

    CHECK(rule.host == "a.example");
    CHECK(rule.connections == 4);
    CHECK(rule.delay == 2s);  // what a crawl asked for ends with it
    CHECK(after.allowed() == 1);
    CHECK(*after.next_start(noon + 10s) == noon + 60s);
    CHECK_FALSE(HostPace().to_rule("b.example").not_before);
}

TEST_CASE("a stored rule cannot stop a host for ever or give it nothing") {
    HostPace pace;
    pace.restore({.connections = 0, .not_before = noon + 24h * 365}, noon);
    CHECK(pace.allowed() == 1);
    CHECK(*pace.next_start(noon) == noon + 1h);
    pace.restore({.connections = 1'000'000}, noon);
    CHECK(pace.allowed() == 8);
}

TEST_CASE("new rules keep what was learnt, and give the whole share to a host that never complained") {
    HostPace pace;
    pace.set_rules({.connections = 32});
    CHECK(pace.allowed() == 32);
    pace.started(noon);
    pace.ended(noon, {.status = 503});
    CHECK(pace.allowed() == 16);
    pace.set_rules({.connections = 64});
    CHECK(pace.allowed() == 16);
    pace.set_rules({.connections = 4});
    CHECK(pace.allowed() == 4);
    pace.set_rules({.connections = -1});
    CHECK(pace.allowed() == 1);
}

TEST_CASE("a crawl stops when over half of at least twenty pages failed, and says why") {
    CrawlHealth health;
    for (int i = 0; i < 9; ++i) health.page_completed();
    for (int i = 0; i < 8; ++i)
        health.page_failed(403, "cannot fetch https://a.example/" + std::to_string(i));
    for (int i = 0; i < 2; ++i)
        health.page_failed(0, "cannot fetch https://a.example/x: timed out after 10 s");
    CHECK_FALSE(health.reason_to_stop());  // 10 of 19

    health.page_completed();
    CHECK_FALSE(health.reason_to_stop());  // 10 of 20 is half, not over it

    health.page_failed(403, "");
    CHECK(health.reason_to_stop().value() ==
          "11 of 21 pages failed, most often with: HTTP status 403 (9 times)");
}

TEST_CASE("pages that are gone are no failures of the crawl") {
    CrawlHealth health;
    for (int i = 0; i < 100; ++i) health.page_failed(i % 2 == 0 ? 404 : 410, "gone");
    for (int i = 0; i < 10; ++i) health.page_completed();
    CHECK_FALSE(health.reason_to_stop());
}

TEST_CASE("reasons are told apart by what pages have in common, in bounded memory") {
    CrawlHealth health;
    for (int i = 0; i < 30; ++i)
        health.page_failed(0, "cannot fetch https://a.example/" + std::to_string(i) + ": connection refused");
    CHECK(health.reason_to_stop().value() ==
          "30 of 30 pages failed, most often with: connection refused (30 times)");
    for (int i = 0; i < 1'000; ++i) health.page_failed(0, "strange thing " + std::to_string(i));
    CHECK(health.reason_to_stop().value().find("other reasons") != std::string::npos);
}

TEST_CASE("a resumed crawl goes on with its counts") {
    const CrawlHealth health(GroupCounters{.completed = 5, .failed = 30, .gone = 10});
    CHECK(health.reason_to_stop().value() == "20 of 25 pages failed");
    CHECK_FALSE(CrawlHealth(GroupCounters{.completed = 30, .failed = 40, .gone = 20}).reason_to_stop());
}
