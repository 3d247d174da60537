// From crawled and imported pages to answers, with services that fail and workers that are killed.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "db/sqlite.h"
#include "program/data_home.h"
#include "program/service.h"
#include "program/slow_site.h"
#include "servers/free_port.h"
#include "servers/imitation_tei.h"

using namespace quarry;
using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

// The ids of the hits of a question, best first.
std::vector<std::string> ask(const DataHome& home, const std::string& question) {
    const Ran ran = home.run({"search", question, "--json"});
    std::vector<std::string> ids;
    if (ran.exit_code > 1) return {ran.err};
    const json::value answer = json::parse(ran.out);
    for (const json::value& hit : answer.at("hits").as_array()) ids.emplace_back(hit.at("id").as_string());
    return ids;
}

void write_documents(const std::string& path, int count) {
    std::ofstream file(path);
    for (int i = 0; i < count; ++i)
        file << json::object{{"_id", fmt::format("d{}", i)},
                             {"title", fmt::format("Stone {}", i)},
                             {"text",
                              fmt::format("Stone unique{} was found in pit {} beside a vein of ore{} and "
                                          "some gravel of colour{}.",
                                          i, i % 90, i % 41, i % 7)}}
             << "\n";
}

RunOptions with_service(const DataHome& home, const std::string& url) {
    RunOptions options = home.options();
    options.environment.push_back("TEI_URL=" + url);
    return options;
}

}  // namespace

TEST_CASE("a damaged index is set aside and made anew while the server answers") {
    const DataHome home;
    {
        std::ofstream documents(home.file("stones.jsonl"));
        std::mt19937 random(7);
        for (int i = 0; i < 700; ++i) {
            std::string text = fmt::format("unique{}", i);
            for (int word = 0; word < 40; ++word) text += fmt::format(" word{}", random() % 400);
            documents << json::object{{"_id", fmt::format("d{}", i)}, {"text", text}} << "\n";
        }
    }
    REQUIRE(home.run({"import", home.file("stones.jsonl")}).exit_code == 0);
    {
        auto file = db::Connection::open(home.data() + "/index.db", db::Access::write).value();
        REQUIRE(file.integer("SELECT count(*) FROM space WHERE state = 1").value() == 1);
        REQUIRE(file.execute("UPDATE space SET bytes = CAST(zeroblob(10) || substr(bytes, 11) AS BLOB)"));
    }
    const Ran examined = home.run({"doctor"});
    CAPTURE(examined.out + examined.err);
    CHECK(examined.exit_code != 0);
    CHECK(contains(examined.out, "fail  search index"));
    CHECK_FALSE(contains(examined.out + examined.err, "All is well"));

    Service service(home);
    const auto finds = [&] {
        const auto answer = service.client.post("/v2/search", R"({"query":"unique77"})");
        return answer.status == 200 && contains(answer.body, "unique77");
    };
    while (!contains(read_file(service.log_file()), "index set aside")) std::this_thread::sleep_for(5ms);
    while (!finds()) std::this_thread::sleep_for(5ms);

    CHECK(std::filesystem::exists(home.data() + "/index.db.damaged"));
    CHECK(service.stop() == 0);
    CHECK(home.run({"queue", "process", "--all"}).exit_code == 0);
    CHECK(ask(home, "unique500").front() == "d500");
    const Ran examined_again = home.run({"doctor"});
    CAPTURE(examined_again.out + examined_again.err);
    CHECK(contains(examined_again.out, "ok    search index"));
}

TEST_CASE("a crawled site can be searched as soon as the command returns") {
    SlowSite site(30, 0ms);
    const DataHome home;

    const Ran crawled = home.run({"crawl", site.url(), "--allow-private", "--wait", "--json"});

    CHECK(crawled.exit_code == 0);
    const json::object record = home.status(id_in(crawled));
    CHECK(record.at("pages_indexed") == 30);
    CHECK_FALSE(ask(home, "page").empty());
}

TEST_CASE("pages that were kept out of the index come in when their crawl is embedded later") {
    SlowSite site(5, 0ms);
    const DataHome home;
    const std::string id =
        id_in(home.run({"crawl", site.url(), "--allow-private", "--wait", "--no-embed", "--json"}));
    const auto before = ask(home, "page");

    CHECK(home.run({"crawl", id, "--embed"}).exit_code == 0);

    CHECK(contains(before.empty() ? "" : before.front(), "http") == false);
    CHECK_FALSE(ask(home, "page").empty());
}

TEST_CASE("a service that is not there holds up no crawl: the pages wait, and are embedded when it is back") {
    SlowSite site(8, 0ms);
    const DataHome home;
    const RunOptions nobody = with_service(home, "http://127.0.0.1:9");

    const Ran crawled = run_quarry({"crawl", site.url(), "--allow-private", "--wait"}, nobody);
    const Ran queue = run_quarry({"queue", "list", "--kind", "embed_page", "--json"}, nobody);
    ImitationTei tei;
    const Ran again = run_quarry({"reindex"}, with_service(home, tei.url()));

    CHECK(crawled.exit_code == 1);
    CHECK(contains(crawled.err, "8 pages wait for embedding"));
    CHECK(contains(queue.out, "127.0.0.1:9"));
    CHECK(again.exit_code == 0);
    CHECK(tei.conduct.wrong_requests().empty());
    CHECK_FALSE(run_quarry({"search", "page", "--json"}, with_service(home, tei.url())).out.empty());
}

TEST_CASE("a crawl whose pages wait for their embedder is not over for who looks at it, and says why") {
    SlowSite site(3, 0ms);
    const DataHome home;
    const RunOptions nobody = with_service(home, "http://127.0.0.1:9");
    const std::string id =
        id_in(run_quarry({"crawl", site.url(), "--allow-private", "--wait", "--json"}, nobody));
    const std::string waits = "3 pages wait for embedding: ";

    const json::object record = home.status(id);
    const Ran one = home.run({"status", id});
    const Ran list = home.run({"status", "--list"});
    const Ran active = home.run({"status"});
    const Ran watched = home.run({"status", id, "--watch"});

    CHECK(record.at("status") == "running");
    CHECK(record.at("state") == "completed");
    CHECK(record.at("progress") == 99);
    CHECK(record.at("pages_waiting") == 3);
    CHECK(contains(record.at("waiting_reason").as_string(), "127.0.0.1:9"));
    CHECK(contains(one.out, "running"));
    CHECK(contains(one.out, "99%"));
    CHECK(contains(one.out, waits));
    CHECK(contains(list.out, "running"));
    CHECK(contains(list.err, waits));
    CHECK(contains(active.out, id));
    CHECK_FALSE(contains(home.run({"status", "--active"}).err, "No active crawl"));
    CHECK(watched.exit_code == 1);
    CHECK(contains(watched.err, waits));
    CHECK(contains(watched.err, "quarry crawl " + id + " --embed"));
}

TEST_CASE(
    "crawl ID --embed asks the embedder at once, says what it does, and the second time asks for nothing") {
    SlowSite site(4, 0ms);
    const DataHome home;
    const RunOptions nobody = with_service(home, "http://127.0.0.1:9");
    const std::string id =
        id_in(run_quarry({"crawl", site.url(), "--allow-private", "--wait", "--json"}, nobody));
    ImitationTei tei;
    const RunOptions somebody = with_service(home, tei.url());

    const Ran failed = run_quarry({"crawl", id, "--embed", "--progress"}, nobody);
    const Ran first = run_quarry({"crawl", id, "--embed", "--progress"}, somebody);
    const int served = tei.conduct.served();
    const Ran second = run_quarry({"crawl", id, "--embed", "-v"}, somebody);

    CHECK(failed.exit_code == 1);
    CHECK(contains(failed.err, "4 pages wait for embedding: "));
    CHECK(json::parse(failed.out).at("pages_waiting") == 4);
    CHECK(first.exit_code == 0);
    CHECK(contains(first.err, "Embedding 4 pages of " + site.url() + " (attempt 1/3)"));
    for (const std::string& url : site.all_urls()) CHECK(contains(first.err, "Embedded 1 chunk for " + url));
    CHECK(contains(first.err, "Embedded 4 pages in 4 chunks"));
    CHECK(json::parse(first.out).at("status") == "completed");
    CHECK(json::parse(first.out).at("chunks") == 4);
    CHECK(second.exit_code == 0);
    CHECK(contains(second.err, "Nothing to embed: the index has 4 pages of the crawl in 4 chunks"));
    CHECK(tei.conduct.served() == served);
    CHECK(tei.conduct.wrong_requests().empty());
}

TEST_CASE("what failed to be embedded is tried again by crawl ID --embed, and only that") {
    SlowSite site(6, 0ms);
    const DataHome home;
    ImitationTei tei;
    tei.conduct.faults.for_word("page number 5 has", Fault::internal);
    RunOptions options = with_service(home, tei.url());
    const Ran crawled = run_quarry({"crawl", site.url(), "--allow-private", "--wait", "--json"}, options);
    const std::string id = id_in(crawled);
    CHECK(crawled.exit_code == 1);
    CHECK(json::parse(crawled.out).at("pages_indexed") == 5);

    tei.conduct.faults.for_word("", Fault::none);
    const Ran embedded = run_quarry({"crawl", id, "--embed", "-v"}, options);

    CHECK(embedded.exit_code == 0);
    CHECK(contains(embedded.err, "Embedding 1 page of "));
    CHECK_FALSE(contains(embedded.err, "(attempt 1/3)"));
    CHECK(contains(embedded.err, "Embedded 1 page in 1 chunk"));
}

TEST_CASE("hundreds of pages that waited for their embedder are all embedded once it is there") {
    SlowSite site(300, 0ms);
    const DataHome home;
    const std::uint16_t port = free_port();
    const RunOptions options = with_service(home, fmt::format("http://127.0.0.1:{}", port));
    const std::string id = id_in(run_quarry({"crawl", site.url(), "--allow-private"}, options));
    const auto waiting = [&] { return home.status(id).at("pages_waiting").to_number<int>(); };
    while (home.status(id).at("state") != "completed" || home.status(id).at("waiting_reason").is_null())
        std::this_thread::sleep_for(20ms);
    REQUIRE(waiting() == 300);

    ImitationTei tei({.port = port});
    while (waiting() > 0) std::this_thread::sleep_for(20ms);

    CHECK(home.status(id).at("pages_indexed") == 300);
    CHECK(home.status(id).at("status") == "completed");
    CHECK(tei.conduct.wrong_requests().empty());
}

TEST_CASE("an index that was deleted or damaged is made anew from the pages") {
    const DataHome home;
    write_documents(home.file("d.jsonl"), 40);
    REQUIRE(home.run({"import", home.file("d.jsonl")}).exit_code == 0);
    const std::string index = home.data() + "/index.db";
    SUBCASE("deleted") {
        for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(index + end);
    }
    SUBCASE("overwritten") {
        std::filesystem::remove(index + "-wal");
        std::ofstream(index, std::ios::trunc) << "this is not a database, and never was one";
    }
    SUBCASE("cut") {
        std::filesystem::remove(index + "-wal");
        std::filesystem::resize_file(index, std::filesystem::file_size(index) / 2);
    }

    CHECK(home.run({"worker", "--once"}).exit_code == 0);

    CHECK(ask(home, "unique7") == std::vector<std::string>{"d7"});
}

TEST_CASE("imports and fits that are killed again and again lose nothing and double nothing") {
    const DataHome home;
    constexpr int documents = 3'000;
    write_documents(home.file("d.jsonl"), documents);
    std::mt19937 random(20'261'117);
    std::uniform_int_distribution<int> life_ms(30, 700);
    for (int kills = 0; kills < 25; ++kills) {
        StartedQuarry import({"import", home.file("d.jsonl")}, home.options());
        std::this_thread::sleep_for(std::chrono::milliseconds(life_ms(random)));
        import.send(SIGKILL);
        import.wait();
    }

    REQUIRE(home.run({"import", home.file("d.jsonl")}).exit_code == 0);

    const json::value shown = json::parse(home.run({"collections", "show", "default", "--json"}).out);
    CHECK(shown.at("pages") == documents);
    CHECK(shown.at("chunks") == documents);
    for (const int i : {0, 1, 1'499, 2'998, 2'999})
        CHECK(ask(home, fmt::format("unique{}", i)).front() == fmt::format("d{}", i));
    CHECK(home.run({"queue", "list", "--kind", "embed_page", "--state", "failed", "--json"}).out == "[]\n");
}

TEST_CASE("how often a page is tried to be embedded, and how long apart, is as the settings say") {
    const DataHome home;
    std::ofstream(home.file("d.jsonl")) << R"({"_id":"good","text":"Marble is limestone."})"
                                        << "\n"
                                        << R"({"_id":"bad","text":"Arsenic is a poison."})"
                                        << "\n";
    ImitationTei tei;
    tei.conduct.faults.for_word("poison", Fault::backend);
    RunOptions options = with_service(home, tei.url());
    options.environment.insert(options.environment.end(),
                               {"QUARRY_EMBEDDING_ATTEMPTS=2", "QUARRY_EMBEDDING_BACKOFF=1ms",
                                "QUARRY_EMBEDDING_LONGEST_BACKOFF=1ms"});
    const auto failed = [&] {
        return json::parse(
                   run_quarry({"queue", "list", "--kind", "embed_page", "--state", "failed", "--json"},
                              options)
                       .out)
            .as_array();
    };

    run_quarry({"import", home.file("d.jsonl")}, options);
    // Each run is an attempt at least, since no pause is left between them.
    for (int runs = 0; runs < 5 && failed().empty(); ++runs) run_quarry({"worker", "--once"}, options);

    REQUIRE(failed().size() == 1);
    CHECK(failed()[0].at("retries") == 2);
    CHECK(failed()[0].at("maxRetries") == 2);
    CHECK(contains(failed()[0].at("lastError").as_string(), "other texts are embedded"));
}
