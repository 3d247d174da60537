#include "db/redis/connection.h"

#include <csignal>

#include <doctest/doctest.h>

#include "servers/redis.h"

namespace quarry::db {

namespace {

using namespace std::chrono_literals;

// The test ends here if Redis is not installed.
#define REDIS(server)                                  \
    test::Redis* const server = test::Redis::shared(); \
    if (!server) {                                     \
        MESSAGE("skipped: Redis is not installed");    \
        return;                                        \
    }

}  // namespace

TEST_CASE("a Redis URL is read part by part") {
    struct Row {
        std::string_view url, host;
        int port;
        std::string_view user, password;
        int database;
    };
    const std::vector<Row> rows = {
        {"redis://localhost", "localhost", 6379, "", "", 0},
        {"redis://", "127.0.0.1", 6379, "", "", 0},
        {"redis://db.example:7000/3", "db.example", 7000, "", "", 3},
        {"REDIS://:secret@db.example", "db.example", 6379, "", "secret", 0},
        {"redis://ann:p%40ss%2F@db.example/", "db.example", 6379, "ann", "p@ss/", 0},
        {"redis://ann:a@b@db.example", "db.example", 6379, "ann", "a@b", 0},
        {"redis://[::1]:7000/1?timeout=3", "::1", 7000, "", "", 1},
        {"redis://[::1]", "::1", 6379, "", "", 0},
    };
    for (const Row& row : rows) {
        CAPTURE(row.url);
        const RedisAddress address = parse_redis_url(row.url).value();
        CHECK(address.host == row.host);
        CHECK(address.port == row.port);
        CHECK(address.user == row.user);
        CHECK(address.password == row.password);
        CHECK(address.database == row.database);
    }
}

TEST_CASE("what is no Redis URL is refused, without its password") {
    for (const std::string_view url :
         {"", "localhost", "http://a", "redis://:sesame@a:0", "redis://:sesame@a:70000", "redis://a/x",
          "redis://a/-1", "redis://:sesame%4@a", "redis://[::1", "redis://[::1]7",
          "redis://a:b:sesame x@ /"}) {
        CAPTURE(url);
        const auto parsed = parse_redis_url(url);
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().code == ErrorCode::invalid_argument);
        CHECK(parsed.error().message.find("sesame") == std::string::npos);
    }
}

TEST_CASE("a Redis URL may ask for TLS, and say whom to trust") {
    const RedisAddress address =
        parse_redis_url("rediss://:pass@db.example/2?timeout=3&ca_file=%2Fa%20b.pem").value();

    CHECK(address.is_encrypted);
    CHECK(address.host == "db.example");
    CHECK(address.database == 2);
    CHECK(address.ca_file == "/a b.pem");
    CHECK_FALSE(parse_redis_url("redis://db.example").value().is_encrypted);
}

TEST_CASE("a connection by TLS is one to a server that proves who it is") {
    const auto server = test::Redis::start({.tls = true});
    if (!server) {
        MESSAGE("skipped: Redis or openssl is not installed");
        return;
    }
    std::signal(SIGPIPE, SIG_IGN);  // as the program does
    const std::string place = "127.0.0.1:" + std::to_string(server->tls_port());
    const std::string trusted = "?ca_file=" + server->ca_file();
    const auto code_of = [](const std::string& url) {
        return RedisConnection::open({.url = url, .answer_timeout = 1s}).error().code;
    };

    auto connection = RedisConnection::open({.url = "rediss://" + place + trusted}).value();
    const std::string large(3 << 20, 'x');

    CHECK(connection.run({"SET", "large", large}));
    CHECK((connection.run({"GET", "large"}).value().value().text() == large));
    CHECK(code_of("rediss://" + place) == ErrorCode::refused);
    CHECK(code_of("rediss://localhost:" + std::to_string(server->tls_port()) + trusted) ==
          ErrorCode::refused);
    CHECK(code_of("rediss://" + place + "?ca_file=/nowhere.pem") == ErrorCode::invalid_argument);
    CHECK(code_of("redis://" + place) == ErrorCode::unavailable);
    CHECK(code_of("rediss://127.0.0.1:" + std::to_string(server->port()) + trusted) ==
          ErrorCode::unavailable);
    server->kill();
    CHECK(connection.run({"PING"}).error().code == ErrorCode::unavailable);
    CHECK_FALSE(connection.is_open());
}

TEST_CASE("who listens by TLS hears all that came at once") {
    const auto server = test::Redis::start({.tls = true});
    if (!server) {
        MESSAGE("skipped: Redis or openssl is not installed");
        return;
    }
    const std::string url =
        "rediss://127.0.0.1:" + std::to_string(server->tls_port()) + "?ca_file=" + server->ca_file();
    auto listener = RedisListener::open({.url = url}, "news").value();
    auto speaker = RedisConnection::open({.url = url}).value();
    const std::vector<RedisConnection::Command> commands(500, {"PUBLISH", "news", "the same again"});

    REQUIRE(speaker.run_all(commands));

    std::size_t heard = 0;
    while (heard < commands.size()) heard += listener.wait(10s).value().size();
    CHECK(heard == commands.size());
}

TEST_CASE("an answer is a tree, and what is not there is empty") {
    REDIS(server);
    auto connection = RedisConnection::open({.url = server->url()}).value();

    const auto answer = connection.run({"EVAL", "return {1, 'a', {false, '7'}}", "0"}).value();

    CHECK(answer.value().size() == 3);
    CHECK(answer[0].integer() == 1);
    CHECK(answer[1].text() == "a");
    CHECK(answer[2][0].is_nil());
    CHECK(answer[2][1].integer() == 7);
    CHECK(answer[2][5].is_nil());
    CHECK(answer[0].text().empty());
    CHECK(answer[1].integer() == 0);
}

TEST_CASE("bytes go there and come back as they are") {
    REDIS(server);
    auto connection = RedisConnection::open({.url = server->url()}).value();
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);

    REQUIRE(connection.run({"SET", "bytes", bytes}));

    CHECK(connection.run({"GET", "bytes"}).value().value().text() == bytes);
    CHECK(connection.run({"GET", "nothing"}).value().value().is_nil());
}

TEST_CASE("many commands take one round trip, and each has its answer") {
    REDIS(server);
    auto connection = RedisConnection::open({.url = server->url()}).value();
    const std::vector<RedisConnection::Command> commands = {
        {"SET", "n", "1"}, {"INCR", "n"}, {"LPUSH", "n", "x"}};

    const auto answers = connection.run_all(commands).value();

    REQUIRE(answers.size() == 3);
    CHECK(answers[1].value().integer() == 2);
    CHECK(answers[2].value().is_error());
    CHECK(connection.run({"LPUSH", "n", "x"}).error().code == ErrorCode::corrupt);
    CHECK(connection.is_open());
}

TEST_CASE("a script is run by its hash, and loaded again when the server has forgotten it") {
    REDIS(server);
    auto connection = RedisConnection::open({.url = server->url()}).value();
    RedisScript script("return ARGV[1] .. '!'");
    const std::vector<std::string_view> arguments = {"hello"};
    CHECK(script.run(connection, arguments).value().value().text() == "hello!");

    REQUIRE(connection.run({"SCRIPT", "FLUSH"}));

    CHECK(script.run(connection, arguments).value().value().text() == "hello!");
    CHECK(RedisScript("return nonsense(").run(connection, {}).error().code == ErrorCode::corrupt);
}

TEST_CASE("a Redis that is not there is unavailable, and the sentence says what to do") {
    const auto connection = RedisConnection::open({.url = "redis://:sesame@127.0.0.1:1"});

    REQUIRE_FALSE(connection);
    CHECK(connection.error().code == ErrorCode::unavailable);
    CHECK(connection.error().message.find("Redis on 127.0.0.1, port 1") != std::string::npos);
    CHECK(connection.error().message.find("sesame") == std::string::npos);
}

TEST_CASE("a wrong password is refused") {
    const auto server = test::Redis::start({.settings = "requirepass sesame"});
    if (!server) {
        MESSAGE("skipped: Redis is not installed");
        return;
    }

    const std::string place = server->url().substr(8);
    CHECK(RedisConnection::open({.url = "redis://:wrong@" + place}).error().code == ErrorCode::refused);
    CHECK(RedisConnection::open({.url = "redis://" + place}).error().code == ErrorCode::refused);
    CHECK(RedisConnection::open({.url = "redis://:sesame@" + place}));
}

TEST_CASE("a server that died is noticed, and a pool finds it again when it is back") {
    const auto server = test::Redis::start();
    if (!server) {
        MESSAGE("skipped: Redis is not installed");
        return;
    }
    RedisPool pool({.url = server->url()}, 2);
    REQUIRE(pool.borrow().value()->run({"SET", "kept", "1"}));
    server->kill();
    {
        auto borrowed = pool.borrow().value();
        CHECK(borrowed->run({"PING"}).error().code == ErrorCode::unavailable);
        CHECK_FALSE(borrowed->is_open());
    }
    CHECK(pool.borrow().error().code == ErrorCode::unavailable);

    server->restart();

    // It is left alone for a moment after each failure.
    std::string kept;
    while (kept.empty()) {
        auto again = pool.borrow();
        if (again) kept = (*again)->run({"GET", "kept"}).value().value().string();
    }
    CHECK(kept == "1");
}

TEST_CASE("a server that is frozen is given up after a while") {
    const auto server = test::Redis::start();
    if (!server) {
        MESSAGE("skipped: Redis is not installed");
        return;
    }
    auto connection = RedisConnection::open({.url = server->url(), .answer_timeout = 1s}).value();
    server->freeze();

    const auto answer = connection.run({"PING"});

    server->thaw();
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::unavailable);
    CHECK(answer.error().message.find("does not answer") != std::string::npos);
}

TEST_CASE("who listens hears what is published, in its order") {
    REDIS(server);
    auto listener = RedisListener::open({.url = server->url()}, "news").value();
    auto speaker = RedisConnection::open({.url = server->url()}).value();
    CHECK(listener.wait(0ms).value().empty());

    REQUIRE(speaker.run({"PUBLISH", "news", "one"}));
    REQUIRE(speaker.run({"PUBLISH", "news", "two"}));

    std::vector<std::string> heard;
    while (heard.size() < 2) {
        const auto messages = listener.wait(10s).value();
        heard.insert(heard.end(), messages.begin(), messages.end());
    }
    CHECK(heard == std::vector<std::string>{"one", "two"});
}

}  // namespace quarry::db
