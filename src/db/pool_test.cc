#include "db/pool.h"

#include <functional>
#include <utility>

#include <doctest/doctest.h>

namespace quarry::db {

namespace {

// A server of which the test says what becomes of an attempt to connect.
struct Server {
    std::function<bool()> accepts = [] { return true; };
    int attempts = 0;
};

class Line {
public:
    static Result<Line> open(Server* server) {
        ++server->attempts;
        if (!server->accepts()) return fail(ErrorCode::unavailable, "away");
        return Line();
    }
    bool is_open() const { return is_open_; }
    void lose() { is_open_ = false; }

private:
    bool is_open_ = true;
};

using Lines = Pool<Line, Server*>;

}  // namespace

TEST_CASE("a connection is used again, and one that was lost is not") {
    Server server;
    Lines pool(&server, 2);

    REQUIRE(pool.borrow());
    REQUIRE(pool.borrow());
    CHECK(server.attempts == 1);
    (*pool.borrow())->lose();
    REQUIRE(pool.borrow());

    CHECK(server.attempts == 2);
}

TEST_CASE("a server that is away is left alone for a moment") {
    Server server{.accepts = [] { return false; }};
    Lines pool(&server, 2);

    CHECK_FALSE(pool.borrow());
    // The moment grows to a second: of a hundred who ask one after the other hardly any go there.
    for (int i = 0; i < 100; ++i) CHECK_FALSE(pool.borrow());

    CHECK(server.attempts < 100);
}

TEST_CASE("what failed before somebody else was let in tells nothing of the server now") {
    Server server;
    Lines pool(&server, 2);
    bool is_first = true;
    server.accepts = [&] {
        if (!std::exchange(is_first, false)) return true;
        // Another's attempt, while this one waits for its answer. Nothing is left of it but that it went
        // well.
        (*pool.borrow())->lose();
        return false;
    };

    CHECK_FALSE(pool.borrow());

    CHECK(pool.borrow());
    CHECK(server.attempts == 3);
}

}  // namespace quarry::db
