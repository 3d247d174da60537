// `queue`, `export`, `backup`, `schedule`, `worker` and `daemon` on a data folder with something in it.
#include <csignal>
#include <filesystem>
#include <sstream>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "program/data_home.h"
#include "program/slow_site.h"

using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

// Pages wait for an embedder that is not there.
RunOptions without_service(const DataHome& home) {
    RunOptions options = home.options();
    options.environment.push_back("TEI_URL=http://127.0.0.1:9");
    return options;
}

json::array array_of(const Ran& ran) {
    return json::parse(ran.out).as_array();
}

}  // namespace

TEST_CASE("the queue lists jobs in the record that embedding queues use") {
    SlowSite site(3, 0ms);
    const DataHome home;
    const std::string id = id_in(home.run({"crawl", site.url(), "--allow-private", "--wait", "--json"}));

    const json::array embeddings = array_of(home.run({"queue", "list", "--kind", "embed_page", "--json"}));
    const json::array urls =
        array_of(home.run({"queue", "list", "--kind", "fetch_page", "--crawl", id, "--json"}));

    REQUIRE(embeddings.size() == 3);
    CHECK(embeddings[0].at("status") == "completed");
    CHECK(embeddings[0].at("retries") == 0);
    CHECK(embeddings[0].at("maxRetries") == 3);
    CHECK(embeddings[0].at("lastError").is_null());
    REQUIRE(urls.size() == 3);
    CHECK(urls[0].at("status") == "completed");
    CHECK(urls[0].at("jobId") == id.c_str());
    CHECK(contains(std::string(urls[0].at("url").as_string()), "/p/"));
    const std::string job(urls[0].at("id").as_string());
    CHECK(json::parse(home.run({"queue", "show", job, "--json"}).out).at("id") == job.c_str());
    CHECK(contains(home.run({"queue", "show", job}).out, "fetch_page"));
    CHECK(home.run({"queue", "show", "nonsense"}).exit_code == 2);
    CHECK(array_of(home.run({"queue", "list", "--limit", "2", "--json"})).size() == 2);
}

TEST_CASE("queue status counts by kind and state") {
    SlowSite site(3, 0ms);
    const DataHome home;
    CHECK(contains(home.run({"queue", "status"}).err, "empty"));
    run_quarry({"crawl", site.url(), "--allow-private", "--wait"}, without_service(home));

    const json::object counts = json::parse(home.run({"queue", "status", "--json"}).out).as_object();

    CHECK(counts.at("pending") == 3);
    CHECK(counts.at("total") == 3);
    CHECK(contains(home.run({"queue", "status"}).out, "fetch_page"));
}

TEST_CASE("jobs are cancelled, tried again and removed by what they have in common") {
    SlowSite site(3, 0ms);
    const DataHome home;
    run_quarry({"crawl", site.url(), "--allow-private", "--wait"}, without_service(home));
    const auto count = [&](const std::vector<std::string>& arguments) {
        const Ran ran = home.run(arguments);
        REQUIRE(ran.exit_code == 0);
        return json::parse(ran.out).at("count").to_number<int>();
    };

    // What is retried or resumed finds a worker at once: so that comes last.
    CHECK(count({"queue", "pause", "--kind", "embed_page", "--json"}) == 3);
    SUBCASE("resumed") {
        CHECK(count({"queue", "resume", "--kind", "embed_page", "--json"}) == 3);
    }
    SUBCASE("cancelled and tried again") {
        CHECK(count({"queue", "cancel", "--kind", "embed_page", "--json"}) == 3);
        CHECK(count({"queue", "retry", "--kind", "embed_page", "--state", "cancelled", "--json"}) == 3);
    }
    SUBCASE("removed") {
        CHECK(count({"queue", "clear", "--kind", "embed_page", "--collection", "other", "--json"}) == 0);
        CHECK(count({"queue", "clear", "--kind", "embed_page", "--json"}) == 3);
        CHECK(contains(home.run({"queue", "list", "--kind", "embed_page"}).err, "Nothing"));
    }
}

TEST_CASE("export gives every page as a line of JSON, to a file if asked") {
    SlowSite site(120, 0ms);
    const DataHome home;
    const std::string id = id_in(
        home.run({"crawl", site.url(), "--allow-private", "--collection", "numbers", "--wait", "--json"}));

    const Ran all = home.run({"export", "pages"});
    const Ran to_file = home.run({"export", "pages", id, "-o", home.file("pages.jsonl")});

    CHECK(all.exit_code == 0);
    std::istringstream lines(all.out);
    std::string line;
    int count = 0;
    for (; std::getline(lines, line); ++count) {
        const json::object page = json::parse(line).as_object();
        CHECK(page.at("statusCode") == 200);
        CHECK(contains(std::string(page.at("markdown").as_string()), "has to say about the matter"));
        CHECK(page.at("collection") == "numbers");
        CHECK(page.contains("metadata"));
        CHECK(page.contains("fetchedAt"));
    }
    CHECK(count == 120);
    CHECK(to_file.exit_code == 0);
    CHECK(to_file.out.empty());
    CHECK(read_file(home.file("pages.jsonl")).size() == all.out.size());  // a crawl's own order is another
    CHECK(home.run({"export", "pages", "--collection", "other"}).exit_code == 1);
    CHECK(home.run({"export", "pages", "-o", "/nonexistent/x"}).exit_code == 2);
}

TEST_CASE("a backup is a data folder of its own, and is never written over") {
    SlowSite site(5, 0ms);
    const DataHome home;
    CHECK(home.run({"backup", home.file("early.db")}).exit_code == 1);
    const std::string id = id_in(home.run({"crawl", site.url(), "--allow-private", "--wait", "--json"}));
    std::filesystem::create_directory(home.file("copy"));

    CHECK(home.run({"backup", home.file("copy/quarry.db")}).exit_code == 0);

    const Ran read = run_quarry({"--data", home.file("copy"), "status", id, "--json"});
    CHECK(read.exit_code == 0);
    CHECK(json::parse(read.out).at("urls_completed") == 5);
    CHECK(home.run({"backup", home.file("copy/quarry.db")}).exit_code == 2);
}

TEST_CASE("a backup can be made while a worker works") {
    SlowSite site(200, 20ms);
    const DataHome home;
    const std::string id = id_in(home.run({"crawl", site.url(), "--allow-private"}));
    site.wait_for_requests(20);
    std::filesystem::create_directory(home.file("copy"));

    CHECK(home.run({"backup", home.file("copy/quarry.db")}).exit_code == 0);

    const Ran read = run_quarry({"--data", home.file("copy"), "status", id, "--json"});
    CHECK(json::parse(read.out).at("crawl_id") == id.c_str());
    CHECK(home.watch(id).at("urls_completed") == 200);
}

TEST_CASE("a crawl can be scheduled, listed and taken off") {
    const DataHome home;

    const Ran added = home.run({"crawl", "http://127.0.0.1:1/a", "--every", "0 6 * * *"});
    const json::array listed = array_of(home.run({"schedule", "list", "--json"}));

    CHECK(added.exit_code == 0);
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].at("name") == "http://127.0.0.1:1/a");
    CHECK(contains(std::string(listed[0].at("nextAt").as_string()), "T06:00:00.000Z"));
    CHECK(home.run({"schedule", "remove", "http://127.0.0.1:1/a"}).exit_code == 0);
    CHECK(home.run({"schedule", "remove", "http://127.0.0.1:1/a"}).exit_code == 1);
    CHECK(array_of(home.run({"schedule", "list", "--json"})).empty());
    CHECK(home.run({"crawl", "http://127.0.0.1:1/a", "--every", "now and then"}).exit_code == 2);
}

TEST_CASE("worker --once works until nothing is left") {
    SlowSite site(30, 0ms);
    const DataHome home;
    const std::string id = id_in(home.run({"crawl", site.url(), "--allow-private"}));
    CHECK(home.run({"worker", "--once"}).exit_code == 0);
    CHECK(home.status(id).at("status") == "completed");
}

TEST_CASE("what is paused or scheduled does not keep worker --once") {
    SlowSite site(300, 20ms);
    const DataHome home;
    const std::string id = id_in(home.run({"crawl", site.url(), "--allow-private"}));
    site.wait_for_requests(5);
    REQUIRE(home.run({"crawl", id, "--pause"}).exit_code == 0);
    REQUIRE(home.run({"crawl", site.url(), "--every", "@yearly"}).exit_code == 0);
    REQUIRE(home.run({"daemon", "stop"}).exit_code == 0);

    CHECK(home.run({"worker", "--once"}).exit_code == 0);
    CHECK(home.status(id).at("status") == "paused");
}

TEST_CASE("a worker in the foreground takes over from one in the background, not from another") {
    const DataHome home;
    REQUIRE(home.run({"daemon", "start"}).exit_code == 0);
    StartedQuarry worker({"worker"}, home.options());
    const auto role = [&] {
        const Ran ran = home.run({"daemon", "status", "--json"});
        return ran.exit_code == 0 ? std::string(json::parse(ran.out).at("role").as_string()) : "";
    };
    while (role() != "foreground") {
    }

    const Ran second = home.run({"worker"});
    CHECK(second.exit_code == 2);
    CHECK(contains(second.err, "works on the data folder"));
    CHECK(home.run({"daemon", "stop"}).exit_code == 2);
    worker.send(SIGINT);
    CHECK(worker.wait() == 130);
    CHECK(home.run({"daemon", "status"}).exit_code == 1);
}

TEST_CASE("daemon start is idempotent, and stop leaves nothing behind") {
    const DataHome home;

    CHECK(home.run({"daemon", "start", "--json"}).exit_code == 0);
    const auto first = json::parse(home.run({"daemon", "status", "--json"}).out).at("pid");
    CHECK(home.run({"daemon", "start"}).exit_code == 0);
    CHECK(json::parse(home.run({"daemon", "status", "--json"}).out).at("pid") == first);
    CHECK(home.run({"daemon", "stop"}).exit_code == 0);
    CHECK(home.run({"daemon", "status"}).exit_code == 1);
    CHECK(contains(home.run({"daemon", "stop"}).err, "No worker runs"));
    CHECK_FALSE(std::filesystem::exists(home.data() + "/quarry.sock"));
    CHECK(contains(home.run({"daemon", "logs", "-n", "1"}).out, "worker: left"));
}

TEST_CASE("daemon install writes a unit and says what to do with it") {
    const DataHome home;

    const Ran ran = home.run({"daemon", "install"});

    CHECK(ran.exit_code == 0);
    CHECK(contains(ran.err, "systemctl --user enable --now quarry"));
    const std::string unit = read_file(home.file(".config/systemd/user/quarry.service"));
    CHECK(contains(unit, "--data \"" + home.data() + "\" worker\n"));
    CHECK(contains(unit, "WantedBy=default.target"));
}

TEST_CASE(
    "an installed daemon works with the store and services of who installed it, and keeps secrets to "
    "itself") {
    const DataHome home({"QUARRY_STORE=postgres://ann:storeword@db.example/q",
                         "TEI_URL=http://tei.example:8080", "TEI_API_KEY=teiword",
                         "QUARRY_CRAWL_MAX_ACTIVE=7"});

    const Ran ran = home.run({"daemon", "install"});

    CHECK(ran.exit_code == 0);
    const std::string unit = read_file(home.file(".config/systemd/user/quarry.service"));
    CHECK(contains(unit, R"(Environment=QUARRY_EMBEDDING_TEI_URL="http://tei.example:8080")"));
    CHECK(contains(unit, R"(Environment=QUARRY_CRAWL_MAX_ACTIVE="7")"));
    const std::string secrets_file = home.file(".config/quarry/service.env");
    CHECK(contains(unit, "EnvironmentFile=" + secrets_file + "\n"));
    const std::string secrets = read_file(secrets_file);
    CHECK(contains(secrets, R"(="postgres://ann:storeword@db.example/q")"));
    CHECK(contains(secrets, R"(="teiword")"));
    namespace fs = std::filesystem;
    CHECK(fs::status(secrets_file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    for (const std::string& shown : {unit, ran.err, ran.out}) {
        CHECK_FALSE(contains(shown, "storeword"));
        CHECK_FALSE(contains(shown, "teiword"));
    }
}
