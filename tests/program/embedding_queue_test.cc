// The embedding queue, as the designs of a resilient embedder and of an embedding queue describe it: batches,
// priorities, retries, and what people and programs are told while pages wait.
#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "program/data_home.h"
#include "program/service.h"
#include "program/slow_site.h"
#include "servers/imitation_tei.h"

using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

constexpr std::string_view nobody = "http://127.0.0.1:9";

RunOptions at_service(const DataHome& home, std::string_view url) {
    RunOptions options = home.options();
    options.environment.push_back("TEI_URL=" + std::string(url));
    options.environment.emplace_back("QUARRY_EMBEDDING_POLL=50ms");
    return options;
}

// Documents that wait, because the service that is to embed them is not there.
void leave_waiting(const DataHome& home, int documents) {
    std::ofstream file(home.file("waiting.jsonl"));
    for (int i = 0; i < documents; ++i)
        file << json::object{{"_id", fmt::format("d{}", i)}, {"text", fmt::format("Stone number{}.", i)}}
             << "\n";
    file.close();
    const Ran ran = run_quarry({"import", home.file("waiting.jsonl")}, at_service(home, nobody));
    REQUIRE(ran.exit_code == 1);
    REQUIRE(contains(ran.err, fmt::format("{} pages wait for embedding: ", documents)));
}

json::object record_in(const Ran& ran) {
    CAPTURE(ran.err);
    REQUIRE_FALSE(ran.out.empty());
    return json::parse(ran.out).as_object();
}

json::array changes(const DataHome& home, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"embed-queue", "list", "--limit", "1000", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json::parse(home.run(arguments).out).as_array();
}

}  // namespace

TEST_CASE("queue process embeds a batch of exactly so many pages, 10 unless said otherwise") {
    const DataHome home;
    ImitationTei tei;
    leave_waiting(home, 23);
    const auto process = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"queue", "process", "--json"});
        const Ran ran = run_quarry(more, at_service(home, tei.url()));
        CHECK(ran.exit_code == 0);
        return record_in(ran);
    };

    const json::object five = process({"--batch", "5"});
    const json::object ten = process({"--collection", "default"});
    const json::object rest = process({"--all"});
    const json::object none = process({});

    CHECK(five.at("processed") == 5);
    CHECK(five.at("succeeded") == 5);
    CHECK(five.at("failed") == 0);
    CHECK(five.at("pending") == 18);
    CHECK(ten.at("processed") == 10);
    CHECK(ten.at("pending") == 8);
    CHECK(rest.at("processed") == 8);
    for (const char* field : {"processed", "succeeded", "failed", "pending"}) CHECK(none.at(field) == 0);
    CHECK(home.run({"search", "number22"}).exit_code == 0);
    CHECK(home.run({"queue", "process", "--batch", "0"}).exit_code == 2);
    CHECK(home.run({"queue", "process", "--batch", "-1"}).exit_code == 2);
}

TEST_CASE("processing without an embedder that can do it is an error with the way out") {
    const DataHome home;
    leave_waiting(home, 3);
    const auto refused = [&](const std::vector<std::string>& arguments, std::string_view way_out) {
        const Ran ran = run_quarry(arguments, at_service(home, nobody));
        CAPTURE(ran.err);
        CHECK(ran.exit_code == 2);
        CHECK(contains(ran.err, "error: "));
        CHECK(contains(ran.err, way_out));
        CHECK(ran.out.empty());
    };

    refused({"queue", "process"}, "quarry reindex --collection default --embedder builtin");
    refused({"queue", "process", "--collection", "default"},
            "quarry reindex --collection default --embedder builtin");
    refused({"queue", "process", "--provider", "onnx"}, "builtin, tei, openai or none");
    refused({"queue", "process", "--provider", "openai"}, "embedding.openai_url");
    for (const json::value& change : changes(home)) CHECK(change.at("retries") == 0);
    CHECK(changes(home, {"--state", "pending"}).size() == 3);

    // The way out that costs no service.
    const Ran ran =
        run_quarry({"queue", "process", "--provider", "builtin", "--json"}, at_service(home, nobody));
    CHECK(ran.exit_code == 0);
    CHECK(record_in(ran).at("succeeded") == 3);
    CHECK(json::parse(home.run({"collections", "show", "default", "--json"}).out).at("embedder") ==
          "builtin");
    // Another one is never mixed in.
    ImitationTei tei;
    run_quarry({"import", home.file("waiting.jsonl")}, at_service(home, tei.url()));
    std::ofstream(home.file("more.md")) << "# More\n\nwords";
    run_quarry({"import", home.file("more.md"), "--no-embed"}, at_service(home, tei.url()));
    CHECK(tei.conduct.served() == 0);
}

TEST_CASE("a text that cannot be embedded uses up its attempts, is kept as failed, and is retried by hand") {
    const DataHome home;
    ImitationTei tei;
    std::ofstream(home.file("poison.jsonl")) << R"({"_id":"good","text":"granite"})" << "\n"
                                             << R"({"_id":"bad","text":"poison"})" << "\n";
    tei.conduct.faults.for_word("poison", Fault::backend);
    const RunOptions options = at_service(home, tei.url());

    const Ran imported = run_quarry({"import", home.file("poison.jsonl")}, options);
    const json::object first = changes(home, {"--state", "pending"}).at(0).as_object();
    const Ran second = run_quarry({"queue", "process", "--json"}, options);
    const Ran third = run_quarry({"queue", "process"}, options);
    const json::object last = changes(home, {"--state", "failed"}).at(0).as_object();

    CHECK(imported.exit_code == 1);
    CHECK(first.at("retries") == 1);
    CHECK(record_in(second).at("failed") == 1);
    CHECK(second.exit_code == 1);
    CHECK(contains(third.err, "1 page could not be embedded: "));
    CHECK(last.at("url") == first.at("url"));
    CHECK(last.at("retries") == 3);
    CHECK(last.at("maxRetries") == 3);
    CHECK(contains(last.at("lastError").as_string(), "424"));
    CHECK(last.at("updatedAt").as_string() > first.at("updatedAt").as_string());
    CHECK(first.at("updatedAt").as_string() > first.at("createdAt").as_string());
    // It is not tried again by itself, nor by processing.
    CHECK(record_in(run_quarry({"queue", "process", "--json"}, options)).at("processed") == 0);
    tei.conduct.faults.for_word("", Fault::none);
    CHECK(record_in(run_quarry({"embed-queue", "retry", "--json"}, options)).at("count") == 1);
    while (changes(home, {"--state", "completed"}).size() < 2) std::this_thread::sleep_for(5ms);
}

TEST_CASE("while pages wait for a service, the queue and the log say how many and why") {
    SlowSite site(4, 0ms);
    const DataHome home;
    const RunOptions options = at_service(home, nobody);

    const Ran crawled = run_quarry({"crawl", site.url(), "--allow-private", "--json"}, options);
    while (home.status(id_in(crawled)).at("completed_at").is_null()) std::this_thread::sleep_for(5ms);
    while (record_in(home.run({"queue", "--json"})).at("waiting_reason").is_null())
        std::this_thread::sleep_for(5ms);
    const Ran queue = home.run({"queue"});
    const json::object counted = record_in(home.run({"queue", "status", "--json"}));

    CHECK(contains(queue.out, "queued"));
    CHECK(contains(queue.err, "4 pages wait for embedding: "));
    CHECK(contains(queue.err, "127.0.0.1:9"));
    CHECK(contains(queue.err, "quarry queue process"));
    CHECK(counted.at("pending") == 4);
    CHECK(contains(counted.at("waiting_reason").as_string(), "127.0.0.1:9"));
    std::ifstream file(home.data() + "/worker.log");
    const std::string log((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    CHECK(contains(log, "embed: embedding waits collection=default error=\""));
}

TEST_CASE("a queue that nobody works on says so, and how it goes on") {
    SlowSite site(300, 50ms);
    const DataHome home;
    StartedQuarry waiting({"crawl", site.url(), "--allow-private", "--wait"}, home.options());
    site.wait_for_requests(5);

    waiting.send(SIGKILL);
    waiting.wait();

    CHECK(contains(home.run({"queue"}).err, "No worker runs. It goes on with: quarry worker --once"));
}

TEST_CASE(
    "pages that waited for a service are embedded by themselves when it is back, without an attempt lost") {
    const DataHome home;
    ImitationTei tei;
    leave_waiting(home, 30);
    tei.conduct.faults.always(Fault::unavailable);
    StartedQuarry worker({"worker"}, at_service(home, tei.url()));
    while (tei.conduct.served() == 0 && !contains(home.run({"queue"}).err, "503"))
        std::this_thread::sleep_for(5ms);

    tei.conduct.faults.always(Fault::none);

    while (changes(home, {"--state", "completed"}).size() < 30) std::this_thread::sleep_for(5ms);
    for (const json::value& change : changes(home)) CHECK(change.at("retries") == 0);
    worker.send(SIGTERM);
    CHECK(worker.wait() == 130);
}

TEST_CASE("priorities of imported pages are high, normal and low, and the queue is processed in that order") {
    const DataHome home;
    const auto import = [&](const std::string& name, const std::string& priority) {
        std::ofstream(home.file(name)) << "# " << name << "\n\nwords";
        return run_quarry({"import", home.file(name), "--priority", priority}, at_service(home, nobody))
            .exit_code;
    };
    for (const char* wrong : {"0", "4", "urgent", "-1"}) CHECK(import("wrong.md", wrong) == 2);
    CHECK(import("low.md", "low") == 1);
    CHECK(import("normal.md", "2") == 1);
    CHECK(import("high.md", "1") == 1);
    CHECK(import("high-too.md", "high") == 1);
    ImitationTei tei;

    std::string order;
    std::set<std::string> known;
    for (int i = 0; i < 4; ++i) {
        REQUIRE(run_quarry({"queue", "process", "--batch", "1"}, at_service(home, tei.url())).exit_code == 0);
        for (const json::value& change : changes(home, {"--state", "completed"})) {
            const std::string url(change.at("url").as_string());
            if (known.insert(url).second) order += url.substr(url.rfind('/'));
        }
    }

    CHECK(order == "/high.md/high-too.md/normal.md/low.md");
}

TEST_CASE("the embedding queue is processed, looked at and cleared over the API, in its own words") {
    const DataHome home;
    ImitationTei tei;
    leave_waiting(home, 12);
    tei.conduct.faults.always(Fault::unavailable);
    Service service(home, free_port(), {"TEI_URL=" + tei.url(), "QUARRY_EMBEDDING_POLL=1h"});
    const auto process = [&](std::string_view body) {
        return service.client.post("/api/v1/embedding-queue/process", body);
    };

    struct Wrong {
        std::string_view body, says;
    };
    for (const auto& [body, says] : {Wrong{R"({"batch":0})", "batch"},
                                     {R"({"batch":"5"})", "batch"},
                                     {R"({"batchSize":1.5})", "batchSize"},
                                     {R"({"size":5})", "size"},
                                     {R"({"collection":7})", "collection"},
                                     {R"({"provider":"onnx"})", "onnx"}}) {
        const ApiAnswer answer = process(body);
        CAPTURE(answer.body);
        CHECK(answer.status == 400);
        CHECK(contains(answer.body, says));
    }
    const ApiAnswer away = process("{}");
    CHECK(away.status == 503);
    CHECK(contains(away.body, "quarry reindex --collection default --embedder builtin"));

    tei.conduct.faults.always(Fault::none);
    const json::value five = process(R"({"batchSize":5,"collection":"default","provider":"tei"})").json();
    while (service.client.get("/api/v1/embedding-queue").json().at("completed") != 12)
        CHECK(process(R"({"batch":100})").json().at("failed") == 0);

    CAPTURE(five);
    CHECK(five.at("success") == true);
    CHECK(five.at("processed") == 5);
    CHECK(five.at("succeeded") == 5);
    CHECK(five.at("failed") == 0);
    CHECK(five.at("left") == 0);

    const json::value counts = service.client.get("/api/v1/embedding-queue?collection=default").json();
    CHECK(counts.at("pending") == 0);
    CHECK(counts.at("processing") == 0);
    CHECK(counts.at("failed") == 0);
    CHECK(counts.at("total") == 12);
    CHECK(process("{}").json().at("processed") == 0);
    CHECK(service.client.get("/api/v1/embedding-queue/jobs?status=completed&limit=100")
              .json()
              .at("jobs")
              .as_array()
              .size() == 12);
    CHECK(service.client.get("/api/v1/embedding-queue/jobs?status=pending")
              .json()
              .at("jobs")
              .as_array()
              .empty());
    CHECK(service.client
              .post("/api/v1/embedding-queue/clear", R"({"states":["completed"],"collection":"default"})")
              .json()
              .at("count") == 12);
    CHECK(service.client.post("/api/v1/embedding-queue/clear", R"({"state":"completed"})").status == 400);
    CHECK(service.client.get("/api/v1/embedding-queue").json().at("total") == 0);
}
