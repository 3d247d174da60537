// `collections`, `forget`, `reindex`, `embed-queue` and `queue process` on a data folder with something in
// it.
#include <fstream>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "program/data_home.h"
#include "program/slow_site.h"
#include "servers/imitation_tei.h"

using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

json::object object_of(const Ran& ran) {
    return json::parse(ran.out).as_object();
}

json::array array_of(const Ran& ran) {
    return json::parse(ran.out).as_array();
}

// How many pages a question finds.
std::size_t hits(const DataHome& home, const std::string& question,
                 const std::string& collection = "default") {
    const Ran ran = home.run({"search", question, "--collection", collection, "--limit", "100", "--json"});
    return ran.out.empty() ? 0 : object_of(ran).at("hits").as_array().size();
}

void crawl(const DataHome& home, SlowSite& site, const std::string& collection = "default") {
    REQUIRE(
        home.run({"crawl", site.url(), "--allow-private", "--wait", "--collection", collection}).exit_code ==
        0);
}

RunOptions with_service(const DataHome& home, const std::string& url) {
    RunOptions options = home.options();
    options.environment.push_back("TEI_URL=" + url);
    return options;
}

}  // namespace

TEST_CASE("collections are listed with their pages, chunks and embedders") {
    SlowSite site(5, 0ms);
    const DataHome home;
    CHECK(home.run({"collections", "list"}).exit_code == 0);
    CHECK(array_of(home.run({"collections", "list", "--json"})).empty());
    crawl(home, site, "numbers");

    const json::array listed = array_of(home.run({"collections", "list", "--json"}));
    const Ran table = home.run({"collections", "list"});
    const json::object shown = object_of(home.run({"collections", "show", "numbers", "--json"}));

    REQUIRE(listed.size() == 1);
    CHECK(listed[0].at("name") == "numbers");
    CHECK(listed[0].at("pages") == 5);
    CHECK(listed[0].at("chunks").to_number<int>() >= 5);
    CHECK(listed[0].at("embedder") == "builtin");
    CHECK(listed[0].at("waiting") == 0);
    CHECK(listed[0].at("failed") == 0);
    CHECK(shown == listed[0]);
    CHECK(contains(table.out, "NAME"));
    CHECK(contains(table.out, "numbers"));
    CHECK(home.run({"collections", "show", "nothing"}).exit_code == 1);
}

TEST_CASE("a collection can be created before it has pages, and then keeps its embedder") {
    SlowSite site(3, 0ms);
    const DataHome home;
    CHECK(home.run({"collections", "create", "words", "--embedder", "none"}).exit_code == 0);
    CHECK(home.run({"collections", "create", "words"}).exit_code == 2);
    CHECK(home.run({"collections", "create", "x", "--embedder", "nonsense"}).exit_code == 2);

    crawl(home, site, "words");

    const json::object shown = object_of(home.run({"collections", "show", "words", "--json"}));
    CHECK(shown.at("embedder") == "none");
    CHECK(shown.at("pages") == 3);
    CHECK(shown.at("vectors") == 0);
    CHECK(hits(home, "page", "words") == 3);
}

TEST_CASE("a collection that is to be embedded by a service takes its model with the first page") {
    SlowSite site(3, 0ms);
    const DataHome home;
    ImitationTei tei;
    CHECK(home.run({"collections", "create", "papers", "--embedder", "tei"}).exit_code == 0);

    const Ran crawled =
        run_quarry({"crawl", site.url(), "--allow-private", "--wait", "--collection", "papers"},
                   with_service(home, tei.url()));

    CHECK(crawled.exit_code == 0);
    const json::object shown = object_of(home.run({"collections", "show", "papers", "--json"}));
    CHECK(shown.at("embedder") == "tei");
    CHECK(shown.at("model") == "BAAI/bge-small-en-v1.5");
    CHECK(shown.at("dimensions") == 64);
    CHECK(shown.at("vectors") == shown.at("chunks"));
}

TEST_CASE("a deleted collection is gone with its pages, and only with a yes") {
    SlowSite site(3, 0ms);
    const DataHome home;
    crawl(home, site, "gone");
    crawl(home, site, "kept");

    const Ran unsure = home.run({"collections", "delete", "gone"});
    const Ran sure = home.run({"collections", "delete", "gone", "--yes", "--json"});

    CHECK(unsure.exit_code == 2);
    CHECK(contains(unsure.err, "--yes"));
    CHECK(sure.exit_code == 0);
    CHECK(object_of(sure).at("count") == 3);
    CHECK(home.run({"collections", "show", "gone"}).exit_code == 1);
    CHECK(contains(home.run({"search", "page", "--collection", "gone"}).err, "no collection \"gone\""));
    CHECK(hits(home, "page", "kept") == 3);
}

TEST_CASE("a forgotten page is found no more, and one that is not stored is said to be so") {
    SlowSite site(4, 0ms);
    const DataHome home;
    crawl(home, site);
    const std::string url = site.all_urls().back();

    const Ran forgotten = home.run({"forget", url, "--json"});
    const Ran again = home.run({"forget", url});
    const Ran both = home.run({"forget", site.all_urls().front(), "https://a.example/none", "--json"});

    CHECK(forgotten.exit_code == 0);
    CHECK(object_of(forgotten).at("count") == 1);
    CHECK(again.exit_code == 1);
    CHECK(contains(again.err, "Not stored"));
    CHECK(both.exit_code == 1);
    CHECK(object_of(both).at("count") == 1);
    CHECK(object_of(both).at("not_found").as_array().size() == 1);
    CHECK(hits(home, "page") == 2);
}

TEST_CASE("a whole site or collection is forgotten at once") {
    SlowSite site(3, 0ms);
    const DataHome home;
    crawl(home, site, "one");
    crawl(home, site, "two");

    CHECK(home.run({"forget"}).exit_code == 2);
    CHECK(home.run({"forget", "--collection", "one"}).exit_code == 2);
    CHECK(home.run({"forget", "--site", "other.example"}).exit_code == 1);
    CHECK(object_of(home.run({"forget", "--collection", "one", "--yes", "--json"})).at("count") == 3);
    CHECK(hits(home, "page", "two") == 3);
    CHECK(object_of(home.run({"forget", "--site", "127.0.0.1", "--json"})).at("count") == 3);
    CHECK(hits(home, "page", "two") == 0);
}

TEST_CASE("reindex gives a collection another embedder and back, and everything stays found") {
    SlowSite site(5, 0ms);
    const DataHome home;
    ImitationTei tei;
    crawl(home, site);

    const Ran to_service = run_quarry({"reindex", "--collection", "default", "--embedder", "tei", "--json"},
                                      with_service(home, tei.url()));
    const json::object with_tei = object_of(home.run({"collections", "show", "default", "--json"}));
    const Ran back = home.run({"reindex", "--embedder", "builtin"});
    const json::object with_builtin = object_of(home.run({"collections", "show", "default", "--json"}));

    CHECK(to_service.exit_code == 0);
    CHECK(object_of(to_service).at("pages") == 5);
    CHECK(with_tei.at("embedder") == "tei");
    CHECK(with_tei.at("vectors") == with_tei.at("chunks"));
    CHECK(back.exit_code == 0);
    CHECK(with_builtin.at("embedder") == "builtin");
    CHECK(hits(home, "page") == 5);
    CHECK(home.run({"reindex", "--collection", "nothing"}).exit_code == 1);
}

TEST_CASE("reindex is the way out when a service has another model") {
    SlowSite site(3, 0ms);
    const DataHome home;
    ImitationTei tei;
    const RunOptions options = with_service(home, tei.url());
    REQUIRE(run_quarry({"crawl", site.url(), "--allow-private", "--wait"}, options).exit_code == 0);
    tei.set_model({.id = "other/model", .sha = "2", .dimensions = 32});

    const Ran ran = run_quarry({"reindex"}, options);

    CHECK(ran.exit_code == 0);
    const json::object shown = object_of(home.run({"collections", "show", "default", "--json"}));
    CHECK(shown.at("model") == "other/model");
    CHECK(shown.at("dimensions") == 32);
    CHECK(shown.at("vectors") == shown.at("chunks"));
}

TEST_CASE("a builtin space is made anew by reindex") {
    const DataHome home;
    std::ofstream file(home.file("stones.jsonl"));
    for (int i = 0; i < 700; ++i) {
        std::string text;
        for (int j = 0; j < 20; ++j) text += fmt::format("stone{} ", (i * 7 + j * j * 13 + i * j) % 600);
        file << json::object{{"_id", fmt::format("d{}", i)}, {"text", text}} << "\n";
    }
    file.close();
    REQUIRE(home.run({"import", home.file("stones.jsonl")}).exit_code == 0);
    const auto vectors = [&] {
        return object_of(home.run({"collections", "show", "default", "--json"}))
            .at("vectors")
            .to_number<int>();
    };
    REQUIRE(vectors() == 700);

    CHECK(home.run({"reindex"}).exit_code == 0);

    CHECK(vectors() == 700);
}

TEST_CASE("pages wait for a service that is away, and are processed on demand once it is there") {
    SlowSite site(4, 0ms);
    const DataHome home;
    ImitationTei tei;
    home.run({"collections", "create", "default", "--embedder", "tei"});
    const Ran crawled = run_quarry({"crawl", site.url(), "--allow-private", "--wait"},
                                   with_service(home, "http://127.0.0.1:1"));

    const json::array waiting = array_of(home.run({"embed-queue", "list", "--state", "pending", "--json"}));
    // The worker that was left behind knows only the service that is away. It may just be starting: then the
    // first command waits for it.
    home.run({"daemon", "start"});
    home.run({"daemon", "stop"});
    const Ran processed =
        run_quarry({"queue", "process", "--collection", "default", "--json"}, with_service(home, tei.url()));

    CHECK(crawled.exit_code == 1);
    REQUIRE(waiting.size() == 4);
    CHECK(waiting[0].at("status") == "pending");
    CHECK(processed.exit_code == 0);
    CHECK(object_of(processed).at("processed") == 4);
    CHECK(object_of(processed).at("succeeded") == 4);
    CHECK(object_of(processed).at("failed") == 0);
}

TEST_CASE("an empty embedding queue is processed to zeros") {
    SlowSite site(2, 0ms);
    const DataHome home;
    const Ran before = home.run({"queue", "process", "--collection", "default", "--json"});
    crawl(home, site);
    const Ran after = home.run({"queue", "process", "--collection", "default", "--json"});

    CHECK(object_of(before).at("processed") == 0);
    CHECK(object_of(after).at("processed") == 0);
    CHECK(after.exit_code == 0);
}

TEST_CASE("the embedding queue is listed in its own words, and cleaned") {
    SlowSite site(3, 0ms);
    const DataHome home;
    CHECK(array_of(home.run({"embed-queue", "list", "--json"})).empty());
    crawl(home, site, "numbers");

    const json::array listed =
        array_of(home.run({"embed-queue", "list", "--collection", "numbers", "--json"}));
    const Ran other = home.run({"embed-queue", "list", "--collection", "other"});
    const json::object cleaned = object_of(home.run({"embed-queue", "clean", "--json"}));

    REQUIRE(listed.size() == 3);
    for (const char* field :
         {"id", "jobId", "url", "status", "retries", "maxRetries", "lastError", "createdAt", "updatedAt"})
        CHECK(listed[0].as_object().contains(field));
    CHECK(listed[0].at("status") == "completed");
    CHECK(contains(other.err, "Nothing"));
    CHECK(cleaned.at("count") == 3);
    CHECK(array_of(home.run({"embed-queue", "list", "--json"})).empty());
    CHECK(object_of(home.run({"embed-queue", "retry", "--json"})).at("count") == 0);
}

TEST_CASE("the embedding daemon is the daemon") {
    const DataHome home;
    CHECK(home.run({"embed-daemon", "status"}).exit_code == 1);

    const Ran started = home.run({"embed-daemon", "start", "--json"});
    const Ran status = home.run({"daemon", "status", "--json"});

    CHECK(started.exit_code == 0);
    CHECK(object_of(status).at("pid") == object_of(started).at("pid"));
    CHECK(home.run({"embed-daemon", "status"}).exit_code == 0);
    CHECK(home.run({"embed-daemon", "stop"}).exit_code == 0);
    CHECK(home.run({"embed-daemon", "status"}).exit_code == 1);
}

TEST_CASE("collections are looked at and changed while a worker runs") {
    SlowSite site(3, 0ms);
    const DataHome home;
    home.run({"daemon", "start"});
    crawl(home, site);

    const json::object shown = object_of(home.run({"collections", "show", "default", "--json"}));

    CHECK(shown.at("chunks").to_number<int>() >= 3);
    CHECK(home.run({"reindex"}).exit_code == 0);
    CHECK(object_of(home.run({"forget", site.all_urls().front(), "--json"})).at("count") == 1);
    CHECK(hits(home, "page") == 2);
    home.run({"daemon", "stop"});
}
