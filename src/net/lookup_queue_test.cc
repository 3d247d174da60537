#include "net/lookup_queue.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::net;
using namespace std::chrono_literals;
using State = Transfer::NameState;

namespace {

struct Fixture {
    LookupQueue queue{2};
    LookupQueue::Time now{};

    void add(const std::string& name, const std::string& path = "/") {
        const auto url = url::Url::parse("http://" + name + path).value();
        queue.add(std::make_unique<Transfer>(HttpRequest{.url = url}, [](const Result<HttpResponse>&) {}),
                  url.host(), now);
    }

    // "name/path" of those that may start, with a '?' if they have to look the name up.
    std::vector<std::string> ready() {
        std::vector<std::string> texts;
        for (const auto& transfer : queue.take_ready()) {
            const url::Url& url = transfer->request().url;
            texts.push_back(std::string(url.host()) + std::string(url.path()) +
                            (transfer->name_state() == State::unknown ? "?" : ""));
        }
        return texts;
    }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE_FIXTURE(Fixture, "an address needs no lookup") {
    for (const char* address : {"127.0.0.1", "[::1]", "10.0.0.1"}) add(address);
    CHECK(ready() == Names{"127.0.0.1/", "[::1]/", "10.0.0.1/"});
}

TEST_CASE_FIXTURE(Fixture, "one transfer looks a name up, and the others wait for its answer") {
    add("a.example", "/1");
    add("a.example", "/2");
    add("a.example", "/3");
    CHECK(ready() == Names{"a.example/1?"});

    queue.found("a.example", now);

    CHECK(ready() == Names{"a.example/2", "a.example/3"});
}

TEST_CASE_FIXTURE(Fixture, "names wait for their turn, and hold up nobody who needs no lookup") {
    for (const char* name : {"a.example", "b.example", "c.example", "d.example", "127.0.0.1"}) add(name);
    CHECK(ready() == Names{"a.example/?", "b.example/?", "127.0.0.1/"});

    queue.found("b.example", now);
    add("b.example", "/more");

    CHECK(ready() == Names{"c.example/?", "b.example/more"});
}

TEST_CASE_FIXTURE(Fixture, "an answer is remembered for less than a minute") {
    add("a.example");
    queue.found("a.example", now);
    (void)ready();

    now += 49s;
    add("a.example");
    CHECK(ready() == Names{"a.example/"});

    now += 2s;
    add("a.example");
    CHECK(ready() == Names{"a.example/?"});
}

TEST_CASE_FIXTURE(Fixture, "when a lookup fails, the next in line asks again, after the names that waited") {
    for (const char* path : {"/1", "/2"}) add("a.example", path);
    add("b.example");
    add("c.example");
    CHECK(ready() == Names{"a.example/1?", "b.example/?"});

    queue.not_found("a.example");
    CHECK(ready() == Names{"c.example/?"});

    queue.not_found("b.example");
    CHECK(ready() == Names{"a.example/2?"});
}

TEST_CASE_FIXTURE(Fixture, "a name whose transfers have all left costs no turn") {
    for (const char* name : {"a.example", "b.example", "c.example", "d.example"}) add(name);
    (void)ready();
    const auto is_c = [](const Transfer& transfer) { return transfer.request().url.host() == "c.example"; };

    CHECK(queue.take_if(is_c).size() == 1);
    add("c.example", "/late");
    queue.found("a.example", now);
    CHECK(ready() == Names{"c.example/late?"});  // It has inherited the place.

    queue.found("b.example", now);
    CHECK(ready() == Names{"d.example/?"});
    queue.found("d.example", now);
    CHECK(ready().empty());
}
