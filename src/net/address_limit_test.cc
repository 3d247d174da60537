#include "net/address_limit.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "net/transfer.h"

using namespace quarry;
using namespace quarry::net;

namespace {

const Address here = Address::parse("192.0.2.1").value();
const Address there = Address::parse("2001:db8::1").value();

std::unique_ptr<Transfer> transfer(const std::string& path) {
    return std::make_unique<Transfer>(HttpRequest{.url = url::Url::parse("http://a.example" + path).value()},
                                      [](const Result<HttpResponse>&) {});
}

std::vector<std::string> paths(const std::vector<std::unique_ptr<Transfer>>& transfers) {
    std::vector<std::string> result;
    for (const auto& transfer : transfers) result.emplace_back(transfer->request().url.path());
    return result;
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("an address has room for so many, and another address for as many more") {
    AddressLimit limit(2);
    limit.enter(here);
    CHECK(limit.has_room(here));
    limit.enter(here);
    CHECK_FALSE(limit.has_room(here));
    CHECK(limit.has_room(there));
    limit.leave(here);
    CHECK(limit.has_room(here));
}

TEST_CASE("without a limit there is always room") {
    AddressLimit limit(0);
    for (int i = 0; i < 1000; ++i) limit.enter(here);
    CHECK(limit.has_room(here));
}

TEST_CASE("who waits is ready when others leave, in the order of coming") {
    AddressLimit limit(2);
    for (int i = 0; i < 2; ++i) limit.enter(here);
    limit.enter(there);
    for (const char* path : {"/1", "/2", "/3"}) limit.wait(transfer(path), here);
    CHECK_FALSE(limit.has_ready());
    CHECK(limit.take_ready().empty());

    limit.leave(there);
    CHECK_FALSE(limit.has_ready());
    limit.leave(here);
    CHECK(limit.has_ready());
    CHECK(paths(limit.take_ready()) == Paths{"/1"});
    limit.leave(here);
    CHECK(paths(limit.take_ready()) == Paths{"/2", "/3"});
    CHECK_FALSE(limit.has_ready());
}

TEST_CASE("a place that the first in line did not take goes to the next") {
    AddressLimit limit(1);
    limit.enter(here);
    for (const char* path : {"/1", "/2"}) limit.wait(transfer(path), here);
    limit.leave(here);
    CHECK(paths(limit.take_ready()) == Paths{"/1"});

    CHECK(paths(limit.take_ready()) == Paths{"/2"});
}

TEST_CASE("a transfer can be taken out of the line") {
    AddressLimit limit(1);
    limit.enter(here);
    for (const char* path : {"/1", "/2"}) limit.wait(transfer(path), here);

    const auto taken =
        limit.take_if([](const Transfer& waiting) { return waiting.request().url.path() == "/1"; });

    CHECK(paths(taken) == Paths{"/1"});
    limit.leave(here);
    CHECK(paths(limit.take_ready()) == Paths{"/2"});
}
