#include "app/demo/server.h"

#include <string>
#include <vector>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace quarry::app;

namespace {

std::uint16_t port_of(const std::string& origin) {
    return static_cast<std::uint16_t>(std::stoi(origin.substr(origin.rfind(':') + 1)));
}

class Visitor {
public:
    explicit Visitor(const DemoServer& server) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port_of(server.origin()));
        is_connected = connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    }

    void send(std::string_view bytes) {
        CHECK(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == ssize_t(bytes.size()));
    }

    // Until so many bytes are there, or the server has closed.
    std::string receive(std::size_t bytes = std::string::npos) {
        std::string received;
        char buffer[4096];
        while (received.size() < bytes) {
            const ssize_t got = recv(socket_.get(), buffer, sizeof buffer, 0);
            if (got <= 0) break;
            received.append(buffer, static_cast<std::size_t>(got));
        }
        return received;
    }

    bool is_connected = false;

private:
    Descriptor socket_;
};

std::unique_ptr<DemoServer> serving(DemoFiles files) {
    auto server = DemoServer::listen().value();
    server->serve(std::move(files));
    return server;
}

}  // namespace

TEST_CASE("the demo's server answers several requests on one connection, in order") {
    const auto server = serving({{"/a", {"text/plain", "first"}}, {"/b", {"text/plain", "second"}}});
    Visitor visitor(*server);

    visitor.send("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\nConnection: close\r\n\r\n");

    const std::string answers = visitor.receive();
    CHECK(answers.find("first") < answers.find("HTTP/1.1", 1));
    CHECK(answers.ends_with("second"));
}

TEST_CASE("a request may come in pieces") {
    const auto server = serving({{"/a", {"text/plain", "whole"}}});
    Visitor visitor(*server);

    visitor.send("GET /a HT");
    visitor.send("TP/1.1\r\nConnection: close\r\n");
    visitor.send("\r\n");

    CHECK(visitor.receive().ends_with("whole"));
}

TEST_CASE("a large answer arrives whole") {
    const std::string large(8'000'000, 'x');
    const auto server = serving({{"/large", {"text/plain", large}}});
    Visitor visitor(*server);

    visitor.send("GET /large HTTP/1.1\r\nConnection: close\r\n\r\n");

    CHECK(visitor.receive().ends_with("\r\n\r\n" + large));
}

TEST_CASE("a request without end is cut off") {
    const auto server = serving({});
    Visitor visitor(*server);

    visitor.send("GET / HTTP/1.1\r\nX: " + std::string(17'000, 'x'));

    CHECK(visitor.receive().empty());
}

TEST_CASE("more visitors than the server has room for wait their turn") {
    const auto server = serving({{"/a", {"text/plain", "served"}}});
    std::vector<std::unique_ptr<Visitor>> visitors;
    for (int i = 0; i < 100; ++i) visitors.push_back(std::make_unique<Visitor>(*server));

    for (auto& visitor : visitors) {
        visitor->send("GET /a HTTP/1.1\r\nConnection: close\r\n\r\n");
        CHECK(visitor->receive().ends_with("served"));
    }
}

TEST_CASE("the server is gone with its object, with connections open or none") {
    std::uint16_t port = 0;
    {
        const auto server = serving({});
        const Visitor idle(*server);
        port = port_of(server->origin());
        CHECK(idle.is_connected);
    }
    CHECK(port != 0);
    const auto never_served = DemoServer::listen();
    CHECK(never_served.has_value());
}

using namespace quarry::app;

namespace {

const DemoFiles files = {{"/", {"text/html", "<p>home"}}, {"/robots.txt", {"text/plain", "User-agent: *"}}};

std::string first_line(const std::string& bytes) {
    return bytes.substr(0, bytes.find("\r\n"));
}

}  // namespace

TEST_CASE("a request ends with an empty line, and what follows is the next one") {
    CHECK_FALSE(request_length("").has_value());
    CHECK_FALSE(request_length("GET / HTTP/1.1\r\nHost: a\r\n").has_value());
    CHECK(request_length("GET / HTTP/1.1\r\n\r\nGET /two").value() == 18);
}

TEST_CASE("requests are answered by what they ask for") {
    struct Row {
        const char* request;
        const char* status;
        bool keep_open;
        const char* reason;
    };
    const Row rows[] = {
        {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK", true, "a page"},
        {"HEAD / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK", true, "its head"},
        {"GET /?x=1 HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK", true, "a query changes nothing"},
        {"GET / HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK", false, "an old client reads until the end"},
        {"GET / HTTP/1.1\r\nConnection: Close\r\n\r\n", "HTTP/1.1 200 OK", false, "as the client wishes"},
        {"GET /none HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found", true, "no such page"},
        {"GET /../etc/passwd HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found", true,
         "there are no files behind it"},
        {"DELETE / HTTP/1.1\r\n\r\n", "HTTP/1.1 405 Method Not Allowed", true, "only reading"},
        {"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n", "HTTP/1.1 400 Bad Request", false,
         "the body would be taken for the next request"},
        {"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 400 Bad Request", false,
         "the same"},
        {"GET http://a/ HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request", false, "it is no proxy"},
        {"GET /\r\n\r\n", "HTTP/1.1 400 Bad Request", false, "HTTP/0.9"},
        {"\r\n\r\n", "HTTP/1.1 400 Bad Request", false, "nothing at all"},
        {"GET / SPDY/3\r\n\r\n", "HTTP/1.1 400 Bad Request", false, "another protocol"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        const DemoAnswer answer = answer_request(row.request, files);
        CHECK(first_line(answer.bytes) == row.status);
        CHECK(answer.keep_open == row.keep_open);
    }
}

TEST_CASE("an answer says how long it is, also when only its head is wanted") {
    const std::string whole = answer_request("GET / HTTP/1.1\r\n\r\n", files).bytes;
    const std::string head = answer_request("HEAD / HTTP/1.1\r\n\r\n", files).bytes;

    CHECK(whole.find("Content-Length: 7\r\n") != std::string::npos);
    CHECK(whole.find("Content-Type: text/html\r\n") != std::string::npos);
    CHECK(whole == head + "<p>home");
}
