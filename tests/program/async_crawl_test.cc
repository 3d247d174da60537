// The design "Async Embeddings and Resilience", as far as it is about crawling: who waits and who does not,
// what is said, and what survives.
#include <csignal>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "program/data_home.h"
#include "program/mixed_site.h"
#include "program/slow_site.h"

using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

TEST_CASE("a crawl returns at once and goes on in the background") {
    SlowSite site(100, 50ms);
    const DataHome home;

    const Ran ran = home.run({"crawl", site.url(), "--limit", "100", "--allow-private"});

    CHECK(ran.exit_code == 0);
    const json::object answer = json::parse(ran.out).as_object();
    CHECK(answer.at("success") == true);
    const std::string id(answer.at("data").at("jobId").as_string());
    CHECK(id.size() == 36);
    CHECK(contains(ran.err, "Queued the crawl of " + site.url() + ": " + id));
    CHECK(contains(ran.err, "Its pages are embedded in the background"));
    CHECK(contains(ran.err, "quarry crawl " + id + " --embed"));
    CHECK(home.status(id).at("completed_at").is_null());
    CHECK(home.watch(id).at("urls_completed") == 100);
    CHECK(json::parse(home.run({"search", "page", "--json"}).out).at("hits").as_array().size() > 0);
}

TEST_CASE("crawl URL --progress stays, says how far it is, and ends when all can be found") {
    MixedSite site;
    const DataHome home;

    const Ran ran = home.run({"crawl", site.url("good"), "--only-these", "--progress", "--allow-private"});

    CHECK(ran.exit_code == 0);
    CHECK(contains(ran.err, "Crawling " + site.url("good")));
    CHECK(contains(ran.err, "Job ID: "));
    CHECK(contains(ran.err, "Progress: 1/1 pages"));
    CHECK(contains(ran.err, "Embedded 1 chunk for " + site.url("good")));
    CHECK(contains(ran.err, "1 page, 1 chunk"));
    CHECK(json::parse(ran.out).at("status") == "completed");
    CHECK(contains(ran.err, "Job ID: " + id_in(ran)));
    CHECK(home.run({"search", "granite"}).exit_code == 0);
}

TEST_CASE("crawl URL --no-embed keeps the pages out of the index, and --embed puts them there later") {
    MixedSite site;
    const DataHome home;

    const Ran ran = home.run(
        {"crawl", site.url("good"), "--only-these", "--no-embed", "--wait", "--json", "--allow-private"});

    CHECK(ran.exit_code == 0);
    const std::string id = id_in(ran);
    CHECK(home.status(id).at("chunks") == 0);
    CHECK(contains(ran.err, "quarry crawl " + id + " --embed"));
    CHECK(home.run({"search", "granite"}).exit_code == 1);
    CHECK(home.run({"crawl", id, "--embed"}).exit_code == 0);
    CHECK(home.status(id).at("chunks") == 1);
    CHECK(contains(home.run({"status", id}).out, "1 page in 1 chunk"));
    CHECK(home.run({"search", "granite"}).exit_code == 0);
}

TEST_CASE("a crawl whose process is killed goes on, and nothing that was done is done again") {
    SlowSite site(60, 30ms);
    const DataHome home;
    StartedQuarry waiting({"crawl", site.url(), "--allow-private", "--wait"}, home.options());
    site.wait_for_requests(10);

    waiting.send(SIGKILL);
    waiting.wait();
    CHECK(contains(home.run({"status"}).err, "No worker runs. It goes on with: quarry worker --once"));
    const std::string id(
        json::parse(home.run({"status", "--list", "--json"}).out).at(0).at("crawl_id").as_string());
    CHECK(home.run({"worker", "--once"}).exit_code == 0);

    CHECK(home.status(id).at("status") == "completed");
    CHECK(home.pages_of(id) == site.all_urls());
}

TEST_CASE("a crawl whose every page fails is no success, and says what to look at") {
    MixedSite site;
    const DataHome home;

    const Ran ran = home.run({"crawl", site.url("dead"), "--only-these", "--wait", "--allow-private"});

    CHECK(ran.exit_code == 1);
    CHECK(contains(ran.err, "0 pages, 1 failed"));
    CHECK(contains(ran.err, "--errors"));
}
