// `quarry demo` and `quarry doctor`: what somebody who has just built quarry runs first.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "program/data_home.h"
#include "program/slow_site.h"
#include "servers/imitation_tei.h"

using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

// The record of one check of `doctor --json`.
json::object check_of(const Ran& ran, const std::string& name) {
    const json::value record = json::parse(ran.out);
    for (const json::value& check : record.at("checks").as_array())
        if (check.at("check") == name.c_str()) return check.as_object();
    return {{"status", "missing"}};
}

Ran doctor(const DataHome& home, const std::vector<std::string>& environment = {}) {
    RunOptions options = home.options();
    for (const std::string& variable : environment) options.environment.push_back(variable);
    return run_quarry({"doctor", "--json"}, options);
}

}  // namespace

TEST_CASE("the demo crawls its own site, and the right page answers each question first") {
    const DataHome home;

    const Ran ran = home.run({"demo", "--json"});

    REQUIRE(ran.exit_code == 0);
    const json::object record = json::parse(ran.out).as_object();
    CHECK(record.at("pages").to_number<int>() >= 25);
    CHECK(record.at("chunks").to_number<int>() > record.at("pages").to_number<int>());
    const json::array& questions = record.at("questions").as_array();
    REQUIRE(questions.size() == 2);
    const auto first_url = [&](std::size_t question) {
        return std::string(questions[question].at("hits").at(0).at("url").as_string());
    };
    CHECK(first_url(0).ends_with("/crawl/credentials"));
    CHECK(first_url(1).ends_with("/run/crashes"));
}

TEST_CASE("the demo tells a story that fits a screen and ends with what to try next") {
    const DataHome home;

    const Ran ran = home.run({"demo"});

    CHECK(ran.exit_code == 0);
    CHECK(contains(ran.out, "http://127.0.0.1:"));
    CHECK(contains(ran.out, "Sites behind a login"));
    CHECK(contains(ran.out, "quarry crawl https://"));
    CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') < 32);
}

TEST_CASE("the demo can be run again, and leaves everything else alone") {
    SlowSite site(3, 0ms);
    const DataHome home;
    home.run({"crawl", site.url(), "--allow-private", "--wait", "--collection", "mine"});
    home.run({"demo"});

    const Ran again = home.run({"demo", "--json"});

    const int pages = json::parse(again.out).at("pages").to_number<int>();
    const auto pages_of = [&](const std::string& name) {
        return json::parse(home.run({"collections", "show", name, "--json"}).out)
            .at("pages")
            .to_number<int>();
    };
    CHECK(again.exit_code == 0);
    CHECK(pages_of("demo") == pages);
    CHECK(pages_of("mine") == 3);
}

TEST_CASE("the demo needs no service, even if one is configured that is not there") {
    const DataHome home;
    RunOptions options = home.options();
    options.environment.push_back("TEI_URL=http://127.0.0.1:1");

    CHECK(run_quarry({"demo"}, options).exit_code == 0);
}

TEST_CASE("the doctor finds nothing wrong with a new installation, and makes nothing") {
    const DataHome home;

    const Ran ran = doctor(home);

    CHECK(check_of(ran, "data folder").at("status") == "ok");
    CHECK(check_of(ran, "store").at("message") == "nothing is stored yet");
    CHECK(check_of(ran, "worker").at("status") == "ok");
    CHECK(contains(std::string(check_of(ran, "versions").at("message").as_string()), "SQLite 3."));
    CHECK_FALSE(std::filesystem::exists(home.data()));
}

TEST_CASE("the doctor counts what is there after a crawl") {
    SlowSite site(3, 0ms);
    const DataHome home;
    home.run({"crawl", site.url(), "--allow-private", "--wait"});

    const Ran ran = doctor(home);

    CHECK(contains(std::string(check_of(ran, "store").at("message").as_string()), "3 pages in 1 collection"));
    CHECK(contains(std::string(check_of(ran, "search index").at("message").as_string()), "of 3 pages"));
    CHECK(check_of(ran, "embedding queue").at("status") == "ok");
    CHECK(contains(home.run({"doctor"}).out, "search index"));
}

TEST_CASE("the doctor says what to do about a damaged database") {
    SlowSite site(3, 0ms);
    const DataHome home;
    home.run({"crawl", site.url(), "--allow-private", "--wait"});
    std::fstream file(home.data() + "/quarry.db", std::ios::in | std::ios::out | std::ios::binary);
    file.write("This is no database", 19);
    file.close();

    const Ran ran = doctor(home);

    CHECK(ran.exit_code == 2);
    CHECK(check_of(ran, "store").at("status") == "fail");
    CHECK_FALSE(check_of(ran, "store").at("advice").is_null());
}

TEST_CASE("the doctor warns of a disk that is nearly full") {
    const DataHome home;

    const Ran ran = doctor(home, {"QUARRY_STORE_LOW_DISK=100000GB"});

    CHECK(ran.exit_code == 2);
    CHECK(check_of(ran, "data folder").at("status") == "fail");
}

TEST_CASE("the doctor asks the services that are configured, and no others") {
    const DataHome home;
    ImitationTei tei;

    const Ran there = doctor(home, {"TEI_URL=" + tei.url()});
    const Ran away = doctor(home, {"TEI_URL=http://127.0.0.1:1"});
    const Ran none = doctor(home);

    CHECK(check_of(there, "tei").at("status") == "ok");
    CHECK(contains(std::string(check_of(there, "tei").at("message").as_string()), "bge-small"));
    CHECK(away.exit_code == 2);
    CHECK(check_of(away, "tei").at("status") == "fail");
    CHECK(contains(std::string(check_of(away, "tei").at("advice").as_string()), "embedding.tei_url"));
    CHECK(check_of(none, "tei").at("status") == "missing");
}

TEST_CASE("the doctor notices a model that is not the one a collection was made with") {
    SlowSite site(2, 0ms);
    const DataHome home;
    ImitationTei tei;
    RunOptions options = home.options();
    options.environment.push_back("TEI_URL=" + tei.url());
    REQUIRE(run_quarry({"crawl", site.url(), "--allow-private", "--wait"}, options).exit_code == 0);
    tei.set_model({.id = "other/model", .sha = "2", .dimensions = 32});

    const Ran ran = doctor(home, {"TEI_URL=" + tei.url()});

    CHECK(check_of(ran, "tei").at("status") == "fail");
    CHECK(contains(std::string(check_of(ran, "tei").at("advice").as_string()), "quarry reindex"));
}
