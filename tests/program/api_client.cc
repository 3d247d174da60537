#include "program/api_client.h"

#include <charconv>
#include <thread>

#include <arpa/inet.h>
#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace quarry::test {
namespace {

namespace json = boost::json;

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// All that comes until the server closes; "" if nobody is there.
std::string everything_answered(std::uint16_t port, std::string_view bytes) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(port);
    std::string answer;
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) break;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        char buffer[65536];
        for (ssize_t got = 1; got > 0;) {
            got = ::recv(socket, buffer, sizeof buffer, 0);
            if (got > 0) answer.append(buffer, static_cast<std::size_t>(got));
        }
    }
    ::close(socket);
    return answer;
}

}  // namespace

json::value ApiAnswer::json() const {
    json::error_code error;
    json::value value = json::parse(body, error);
    return error ? json::value() : value;
}

ApiAnswer ApiClient::ask(std::string_view method, std::string_view path, std::string_view body) const {
    const std::string text = everything_answered(
        port_, fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nContent-Type: "
                           "application/json\r\n{}Content-Length: {}\r\n\r\n{}",
                           method, path, port_, headers_, body.size(), body));
    ApiAnswer answer;
    const std::size_t end = text.find("\r\n\r\n");
    if (!text.starts_with("HTTP/1.1 ") || end == std::string::npos) return answer;
    std::from_chars(text.data() + 9, text.data() + 12, answer.status);
    answer.headers = text.substr(0, end);
    answer.body = text.substr(end + 4);
    return answer;
}

void ApiClient::wait_until_ready() const {
    while (get("/readyz").status != 200) std::this_thread::yield();
}

json::object ApiClient::wait_for(std::string_view path) const {
    while (true) {
        const ApiAnswer answer = get(path);
        // While the server is away there is nothing to do but to ask again.
        if (answer.status == 0) {
            std::this_thread::yield();
            continue;
        }
        REQUIRE(answer.status == 200);
        json::object status = answer.json().as_object();
        if (status.at("status") == "scraping") continue;
        json::array& data = status.at("data").as_array();
        json::value next = status.at("next");
        while (next.is_string()) {
            const std::string_view url = next.as_string();
            const json::value more = get(url.substr(url.find("/v2/"))).json();
            REQUIRE_FALSE(more.at("data").as_array().empty());
            for (const json::value& document : more.at("data").as_array()) data.push_back(document);
            next = more.at("next");
        }
        return status;
    }
}

}  // namespace quarry::test
