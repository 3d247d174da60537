// The owner's socket from both ends. Every test has a folder and real sockets of its own.
#include "app/owner/server.h"

#include <future>
#include <latch>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/owner/client.h"
#include "servers/temporary_folder.h"

using namespace quarry;
using namespace quarry::app;
using namespace std::chrono_literals;
using quarry::test::TemporaryFolder;
namespace json = boost::json;

namespace {

const Greeting us{.version = "1.0", .role = OwnerRole::background, .process = getpid()};

Result<json::value> echo(const std::string& method, const json::object& params) {
    if (method == "refuse") return fail(ErrorCode::conflict, "it is over already");
    return json::object{{"method", method}, {"params", params}};
}

std::unique_ptr<OwnerServer> serve(const DataFolder& folder, OwnerServer::Handler handler = echo) {
    return OwnerServer::start(folder.socket(), us, std::move(handler)).value();
}

OwnerClient connect(const DataFolder& folder) {
    return OwnerClient::connect(folder, "1.0").value();
}

store::Event page_of(GroupId group, const std::string& url) {
    return {.what = store::Event::What::page, .group = group, .url = url, .status = 200};
}

store::Event change_of(GroupId group, JobState state) {
    return {.what = store::Event::What::group_changed, .group = group, .state = state};
}

}  // namespace

TEST_CASE("a request is answered, and an error comes back with its code") {
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.path()};
    const auto server = serve(folder);
    OwnerClient client = connect(folder);

    const auto answer = client.call("pause", {{"group", 7}});
    const auto refused = client.call("refuse");

    CHECK(client.owner().process == getpid());
    REQUIRE(answer);
    CHECK(answer->at("params").at("group") == 7);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::conflict);
    CHECK(refused.error().message == "it is over already");
    CHECK(client.was_heard());
}

TEST_CASE("what is nested as deep as a request to the server may be is answered") {
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.path()};
    const auto server = serve(folder);
    OwnerClient client = connect(folder);
    json::value deep = 1;
    for (int level = 0; level < 64; ++level) deep = json::array{std::move(deep)};

    const auto answer = client.call("write", {{"deep", deep}});

    REQUIRE(answer);
    CHECK(answer->at("params").at("deep") == deep);
}

TEST_CASE("the socket is its user's alone, and what lies in its place is replaced") {
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.path()};
    temporary.write("quarry.sock", "stale");
    CHECK(OwnerClient::connect(folder, "1.0").error().code == ErrorCode::not_found);

    const auto server = serve(folder);

    struct stat status{};
    REQUIRE(stat(folder.socket().c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    CHECK(connect(folder).call("ping"));
}

TEST_CASE("a socket that is shared with a group is open to it, and to nobody else") {
    if (geteuid() != 0) {
        MESSAGE("SKIPPED: only root may give a file to any group");
        return;
    }
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.path()};
    constexpr gid_t some_group = 4242;
    REQUIRE(chmod(folder.path.c_str(), 0755) == 0);
    const auto server = OwnerServer::start(folder.socket(), us, echo, some_group).value();

    struct stat status{};
    REQUIRE(stat(folder.socket().c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0660);
    CHECK(status.st_gid == some_group);
    const auto is_heard_as = [&](uid_t user, gid_t group) {
        REQUIRE(setegid(group) == 0);
        REQUIRE(seteuid(user) == 0);
        auto client = OwnerClient::connect(folder, "1.0");
        const bool is_heard = client && client->call("ping");
        REQUIRE(seteuid(0) == 0);
        REQUIRE(setegid(0) == 0);
        return is_heard;
    };
    CHECK(is_heard_as(4243, some_group));
    CHECK_FALSE(is_heard_as(4243, 4244));
}

TEST_CASE("a data folder may have a path that no socket address has room for") {
    const TemporaryFolder temporary;
    const DataFolder folder{
        temporary.file(std::string(60, 'a') + "/" + std::string(60, 'b') + "/" + std::string(60, 'c'))};
    REQUIRE(folder.create());
    const auto server = serve(folder);

    CHECK(connect(folder).call("ping"));
    server->leave();
    CHECK_FALSE(std::filesystem::exists(folder.socket()));
}

TEST_CASE("a slow request holds up neither other commands nor the greeting of new ones") {
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.path()};
    std::latch go_on(1);
    const auto server =
        serve(folder, [&](const std::string& method, const json::object&) -> Result<json::value> {
            if (method == "backup") go_on.wait();
            return json::value(method);
        });
    OwnerClient slow = connect(folder), quick = connect(folder);
    auto backup = std::async(std::launch::async, [&] { return slow.call("backup"); });

    CHECK(quick.call("ping").value() == "ping");
    CHECK(connect(folder).call("ping").value() == "ping");
    go_on.count_down();
    CHECK(backup.get().value() == "backup");
}

TEST_CASE("those who follow a crawl hear of its changes and of no other's") {
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.path()};
    const auto server = serve(folder);
    OwnerClient one = connect(folder), all = connect(folder);
    REQUIRE(one.follow(GroupId{1}, Hears::changes));
    REQUIRE(all.follow(std::nullopt, Hears::changes));

    const store::Event events[] = {change_of(GroupId{2}, JobState::running),
                                   page_of(GroupId{1}, "https://a.example/"),
                                   change_of(GroupId{1}, JobState::completed)};
    server->publish(events);

    CHECK(one.next_event(10s).value()->state == JobState::completed);
    CHECK(all.next_event(10s).value()->group == GroupId{2});
    CHECK(all.next_event(10s).value()->group == GroupId{1});
    CHECK_FALSE(one.next_event(0ms).value());
}

TEST_CASE("who follows can ask for each page, and a slow reader misses pages but no change") {
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.path()};
    const auto server = serve(folder);
    OwnerClient client = connect(folder);
    REQUIRE(client.call("follow", {{"pages", true}}));
    const std::vector<store::Event> pages(10'000,
                                          page_of(GroupId{1}, "https://a.example/" + std::string(200, 'x')));
    const store::Event end[] = {change_of(GroupId{1}, JobState::completed)};

    for (int i = 0; i < 3; ++i) server->publish(pages);
    server->publish(end);

    int seen = 0;
    while (true) {
        const auto event = client.next_event(20s);
        REQUIRE(event);
        if (!*event) continue;  // "left_out" is no event of the store
        if ((*event)->what == store::Event::What::group_changed) break;
        ++seen;
    }
    CHECK(seen > 0);
    CHECK(seen < 30'000);
}

TEST_CASE("a command that does not read its answers is cut off, and the others go on") {
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.path()};
    const auto server = serve(folder, [](const std::string&, const json::object&) -> Result<json::value> {
        return json::value(std::string(15u << 20, 'x'));
    });
    const Descriptor deaf = connect_to(folder.socket()).value();
    std::string bytes = frame(json::serialize(to_json(us)));
    for (int i = 0; i < 4; ++i) bytes += frame(R"({"id":1,"method":"big"})");
    REQUIRE(send(deaf.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));

    OwnerClient client = connect(folder);

    CHECK(client.call("big").value().get_string().size() == 15u << 20);
    // It is cut off with less than all of its answers: reading on comes to an end. Had it begun to read
    // before that, it would have got them all and waited for more.
    pollfd cut_off{deaf.get(), 0, 0};
    REQUIRE(poll(&cut_off, 1, 60'000) == 1);
    std::size_t received = 0;
    char buffer[65536];
    for (ssize_t got = 1; got > 0; received += static_cast<std::size_t>(std::max<ssize_t>(got, 0)))
        got = recv(deaf.get(), buffer, sizeof buffer, 0);
    CHECK(received < 4 * (15u << 20));
}

TEST_CASE("bytes that are no frames, no JSON or no greeting end the connection, and nothing else") {
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.path()};
    const auto server = serve(folder);
    const std::string greeting = frame(json::serialize(to_json(us)));
    for (const std::string& bytes : {std::string("GET / HTTP/1.1\r\n\r\n"), frame("{"), frame("[]"),
                                     frame("{}"), greeting + frame(R"({"id":1})"),
                                     greeting + frame(R"({"method":7})"), frame(std::string(100, '['))}) {
        CAPTURE(bytes);
        const Descriptor stranger = connect_to(folder.socket()).value();
        REQUIRE(send(stranger.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0);
        char buffer[4096];
        ssize_t got = 1;
        while (got > 0) got = recv(stranger.get(), buffer, sizeof buffer, 0);
        CHECK(got <= 0);
    }
    CHECK(connect(folder).call("ping"));
}

TEST_CASE("a request without an id or parameters is answered all the same") {
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.path()};
    const auto server = serve(folder);
    const Descriptor terse = connect_to(folder.socket()).value();
    const std::string bytes = frame(json::serialize(to_json(us))) + frame(R"({"method":"ping"})");
    REQUIRE(send(terse.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0);

    FrameReader reader;
    std::vector<std::string> messages;
    char buffer[4096];
    while (messages.size() < 2) {
        const ssize_t got = recv(terse.get(), buffer, sizeof buffer, 0);
        REQUIRE(got > 0);
        reader.add({buffer, static_cast<std::size_t>(got)});
        while (auto message = reader.next().value()) messages.push_back(*message);
    }
    CHECK(json::parse(messages[1]).at("id").is_null());
    CHECK(json::parse(messages[1]).at("result").at("method") == "ping");
}

TEST_CASE("an owner that leaves answers what it was asked, and who asks later knows it was not heard") {
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.path()};
    std::latch asked(1), go_on(1);
    const auto server =
        serve(folder, [&](const std::string& method, const json::object&) -> Result<json::value> {
            asked.count_down();
            go_on.wait();
            return json::value(method);
        });
    OwnerClient early = connect(folder), late = connect(folder), follower = connect(folder);
    REQUIRE(follower.follow(std::nullopt, Hears::changes));
    auto answer = std::async(std::launch::async, [&] { return early.call("crawl"); });
    asked.wait();
    auto leaving = std::async(std::launch::async, [&] { server->leave(); });
    late.wait_until_left();

    const auto unheard = late.call("crawl");
    go_on.count_down();
    leaving.get();

    CHECK(answer.get().value() == "crawl");
    CHECK_FALSE(unheard);
    CHECK_FALSE(late.was_heard());
    CHECK(follower.next_event(10s).error().code == ErrorCode::not_found);
    CHECK(OwnerClient::connect(folder, "1.0").error().code == ErrorCode::not_found);
}

TEST_CASE("an owner whose folder was removed and made anew leaves the new owner's socket alone") {
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.file("data")};
    REQUIRE(folder.create());
    const auto former = serve(folder);
    std::filesystem::rename(folder.path, temporary.file("removed"));
    REQUIRE(folder.create());
    const auto server = serve(folder);

    former->leave();

    CHECK(connect(folder).call("ping"));
}

TEST_CASE("nobody there means that the folder is ours, an owner means that it is asked") {
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.path()};
    {
        const auto alone = reach_owner(folder, "1.0");
        REQUIRE(alone);
        CHECK(std::holds_alternative<FolderLock>(*alone));
    }
    const auto lock = FolderLock::take(folder, "1.0");
    const auto server = serve(folder);

    auto reached = reach_owner(folder, "1.0");

    REQUIRE(reached);
    REQUIRE(std::holds_alternative<OwnerClient>(*reached));
    CHECK(std::get<OwnerClient>(*reached).call("ping"));
}

TEST_CASE("an older background worker hands over to a newer command") {
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.path()};
    std::optional<FolderLock> lock = FolderLock::take(folder, "1.0").value();
    std::promise<void> asked;
    auto server = serve(folder, [&](const std::string& method, const json::object&) -> Result<json::value> {
        if (method == "handover") asked.set_value();
        return json::object();
    });
    auto worker = std::async(std::launch::async, [&] {
        asked.get_future().wait();
        server->leave();
        lock.reset();
    });

    const auto reached = reach_owner(folder, "1.1");

    REQUIRE(reached);
    CHECK(std::holds_alternative<FolderLock>(*reached));
}

TEST_CASE("who may not take over says so") {
    const TemporaryFolder temporary;
    const DataFolder folder{temporary.path()};
    const auto lock = FolderLock::take(folder, "1.0");
    const auto reach = [&](Greeting greeting) -> std::string {
        const auto server = OwnerServer::start(folder.socket(), std::move(greeting), echo).value();
        const auto reached = reach_owner(folder, "1.0");
        return reached ? "reached" : reached.error().message;
    };

    CHECK(reach({.version = "0.9", .role = OwnerRole::foreground}) == "reached");
    CHECK(reach({.version = "2.0", .role = OwnerRole::background}) == "reached");
    CHECK(reach({.protocol = 2, .version = "2.0"}).find("newer quarry (2.0") != std::string::npos);
    CHECK(reach({.protocol = 7, .version = "0.9", .role = OwnerRole::foreground}).find("Stop it first") !=
          std::string::npos);
}
