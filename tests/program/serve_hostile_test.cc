// Requests to `quarry serve` that are too large, or that are no requests at all: each costs one clear
// sentence, and never the server.
#include <algorithm>
#include <filesystem>
#include <thread>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "program/raw_client.h"
#include "program/service.h"

using namespace quarry;
using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

// The status of an answer, and whether it says what is wrong.
struct Verdict {
    int status = 0;
    bool is_said = false;
};

Verdict verdict_of(const std::string& answer) {
    if (!answer.starts_with("HTTP/1.1 ")) return {};
    const bool is_said = answer.find(R"("success":false)") != std::string::npos &&
                         answer.find(R"("error":")") != std::string::npos;
    return {.status = std::stoi(answer.substr(9, 3)), .is_said = is_said};
}

std::string code_of(const ApiAnswer& answer) {
    const json::value body = answer.json();
    const json::value* code = body.is_object() ? body.get_object().if_contains("code") : nullptr;
    return code && code->is_string() ? std::string(code->get_string()) : "";
}

}  // namespace

TEST_CASE("what is larger than it may be is refused before it is read") {
    const DataHome home;
    Service service(home);
    const auto post = [](std::string_view more) {
        return fmt::format("POST /v2/scrape HTTP/1.1\r\nHost: 127.0.0.1\r\n{}\r\n", more);
    };
    const auto get = [](const std::string& path, const std::string& more) {
        return fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1\r\n{}\r\n", path, more);
    };
    std::string many_headers;
    for (int number = 0; number < 2'000; ++number) many_headers += fmt::format("X-{}: y\r\n", number);
    struct Row {
        std::string what;
        std::string bytes;
        int status;
    };
    const Row rows[] = {
        {"a long header", get("/healthz", "X: " + std::string(20'000, 'x') + "\r\n"), 431},
        {"a header without an end", "GET /healthz HTTP/1.1\r\nX: " + std::string(1u << 20, 'x'), 431},
        {"many headers", get("/healthz", many_headers), 431},
        {"a long path", get("/" + std::string(20'000, 'x'), ""), 414},
        {"a long query", get("/healthz?" + std::string(20'000, 'x'), ""), 414},
        {"a method without an end", std::string(1u << 20, 'G'), 414},
        {"a body of a gigabyte", post("Content-Length: 1073741824\r\n"), 413},
        {"a body of 2^64 bytes", post("Content-Length: 18446744073709551616\r\n"), 400},
        {"a chunk of a gigabyte", post("Transfer-Encoding: chunked\r\n") + "40000000\r\n", 413},
        {"a chunk of 2^64 bytes", post("Transfer-Encoding: chunked\r\n") + "10000000000000000\r\n", 400},
    };

    for (const Row& row : rows) {
        CAPTURE(row.what);
        RawClient client(service.port());
        client.send(row.bytes);
        const Verdict verdict = verdict_of(client.read_all());
        CHECK(verdict.status == row.status);
        CHECK(verdict.is_said);
    }
    CHECK(service.client.get("/healthz").status == 200);
    CHECK(service.stop() == 0);
}

TEST_CASE("a body or an address that is too long for its route is refused") {
    const DataHome home;
    Service service(home);

    const auto large = service.client.post("/v2/scrape", "{\"url\":\"" + std::string(11u << 20, 'x') + "\"}");
    const auto address = service.client.post(
        "/v2/scrape", fmt::format(R"({{"url":"http://127.0.0.1/{}"}})", std::string(10'000, 'x')));

    CHECK(large.status == 413);
    CHECK(code_of(large) == "TOO_LARGE");
    CHECK(address.status == 400);
    CHECK(address.json().at("details").at(0).at("path") == json::array{"url"});
}

TEST_CASE("a request that two readers could understand differently is refused") {
    const DataHome home;
    Service service(home);
    struct Row {
        std::string what;
        std::string_view lines;
    };
    const Row rows[] = {
        {"two lengths", "Content-Length: 2\r\nContent-Length: 3\r\n"},
        {"a length and chunks", "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n"},
        {"a length with a sign", "Content-Length: +2\r\n"},
        {"a length with a word", "Content-Length: 2 of them\r\n"},
        {"chunks that are not the last coding", "Transfer-Encoding: chunked, identity\r\n"},
        {"a space before the colon", "Content-Length : 2\r\n"},
        {"a name that is empty", ": 2\r\n"},
        {"a control character", std::string_view("X: a\0b\r\n", 8)},
    };

    for (const Row& row : rows) {
        CAPTURE(row.what);
        RawClient client(service.port());
        client.send("POST /v2/scrape HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" +
                    std::string(row.lines) + "\r\n2\r\n{}\r\n0\r\n\r\n");
        const Verdict verdict = verdict_of(client.read_all());
        CHECK(verdict.status == 400);
        CHECK(verdict.is_said);
    }
    CHECK(service.client.get("/healthz").status == 200);
}

TEST_CASE("a body that is no JSON, or no object, is told from one with a wrong field") {
    const DataHome home;
    Service service(home);
    struct Row {
        std::string_view body;
        std::string_view code;
    };
    const std::string deep(100'000, '[');
    const std::string deep_objects = [] {
        std::string text;
        for (int depth = 0; depth < 100'000; ++depth) text += "{\"a\":";
        return text;
    }();
    const Row rows[] = {
        {"{", "BAD_REQUEST_INVALID_JSON"},
        {"{}}", "BAD_REQUEST_INVALID_JSON"},
        {"{\"url\"}", "BAD_REQUEST_INVALID_JSON"},
        {"{'url':1}", "BAD_REQUEST_INVALID_JSON"},
        {"{\"url\":1,}", "BAD_REQUEST_INVALID_JSON"},
        {"{\"url\":01}", "BAD_REQUEST_INVALID_JSON"},
        {"{\"url\":NaN}", "BAD_REQUEST_INVALID_JSON"},
        {"{\"url\":\"\xff\"}", "BAD_REQUEST_INVALID_JSON"},
        {"{\"url\":\"\\ud800\"}", "BAD_REQUEST_INVALID_JSON"},
        {"{\"url\":\"a\nb\"}", "BAD_REQUEST_INVALID_JSON"},
        {"\xef\xbb\xbf{}", "BAD_REQUEST_INVALID_JSON"},
        {std::string_view("{}\0", 3), "BAD_REQUEST_INVALID_JSON"},
        {"url=http%3A%2F%2Fa.example", "BAD_REQUEST_INVALID_JSON"},
        {"<url/>", "BAD_REQUEST_INVALID_JSON"},
        {"[]", "BAD_REQUEST_INVALID_JSON"},
        {"null", "BAD_REQUEST_INVALID_JSON"},
        {"\"url\"", "BAD_REQUEST_INVALID_JSON"},
        {"7", "BAD_REQUEST_INVALID_JSON"},
        {deep, "BAD_REQUEST_INVALID_JSON"},
        {deep_objects, "BAD_REQUEST_INVALID_JSON"},
        {"", "BAD_REQUEST"},
        {"{}", "BAD_REQUEST"},
        {" {\t\"\\u0075rl\" :\r\n7} ", "BAD_REQUEST"},
        {"{\"url\":7,\"url\":8}", "BAD_REQUEST"},
        {"{\"url\":1e999}", "BAD_REQUEST"},
    };

    for (const Row& row : rows) {
        CAPTURE(row.body.substr(0, 60));
        const ApiAnswer answer = service.client.post("/v2/scrape", row.body);
        CHECK(answer.status == 400);
        CHECK(code_of(answer) == row.code);
        CHECK(answer.body.size() < 2'000);
    }
    CHECK(service.stop() == 0);
}

TEST_CASE("JSONTestSuite: what is no JSON is refused as such, and what is some is not") {
    const std::filesystem::path folder =
        std::filesystem::path(QUARRY_SUITES) / "suites/JSONTestSuite/test_parsing";
    if (!std::filesystem::is_directory(folder)) {
        MESSAGE("skipped: no JSONTestSuite at " << folder.string());
        return;
    }
    const DataHome home;
    Service service(home);
    int refused = 0, read = 0;

    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        const std::string text = read_file(entry.path().string());
        CAPTURE(name);
        const ApiAnswer answer = service.client.post("/v2/scrape", text);
        CHECK(answer.status == 400);
        CHECK(answer.json().at("success") == false);
        if (name.starts_with("n_")) ++refused;
        // An empty body is one without fields.
        if (name.starts_with("n_") && !text.empty()) CHECK(code_of(answer) == "BAD_REQUEST_INVALID_JSON");
        if (name.starts_with("y_object")) {
            ++read;
            CHECK(code_of(answer) == "BAD_REQUEST");
        }
    }

    CHECK(refused > 150);
    CHECK(read > 10);
    CHECK(service.stop() == 0);
}

TEST_CASE("bytes that are not UTF-8 come back in no answer") {
    const DataHome home;
    const Service service(home);

    for (const char* path :
         {"/nothing%FF", "/nothing\xFF", "/\x9B", "/v2/crawl/%FF", "/api/v1/collections/%FF",
          "/api/v1/collections/%C2", "/api/v1/crawls?status=%FF", "/api/v1/documents?%FF=1"}) {
        CAPTURE(path);
        const ApiAnswer answer = service.client.get(path);
        CHECK(answer.status >= 400);
        CHECK(answer.status < 500);
        CHECK(answer.json().is_object());
    }
}

TEST_CASE("what a stranger sent that is not UTF-8 spoils no list of requests") {
    const DataHome home;
    const auto has_record = [](const ApiAnswer& answer, std::string_view path) {
        const json::value body = answer.json();
        if (!body.is_object()) return false;
        return std::ranges::any_of(body.at("requests").as_array(), [&](const json::value& request) {
            return std::string_view(request.at("path").as_string()) == path;
        });
    };
    for (const char* workers : {"0", "1"}) {
        CAPTURE(workers);
        const Service service(home, free_port(), {}, {"--workers", workers});
        const ApiClient stranger(service.port(), "User-Agent: \xFF\r\n");
        const std::string path = fmt::format("/last{}", workers);
        CHECK(stranger.get("/first\xFF").status == 404);
        CHECK(stranger.get(path).status == 404);

        ApiAnswer answer;
        for (int attempt = 0; attempt < 100 && !has_record(answer, path); ++attempt) {
            std::this_thread::sleep_for(100ms);
            answer = service.client.get("/api/v1/requests?limit=1000");
        }

        CHECK(has_record(answer, path));
    }
}
