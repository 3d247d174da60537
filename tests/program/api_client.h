// A client of `quarry serve` for tests: plain requests, each over a connection of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace quarry::test {

struct ApiAnswer {
    int status = 0;  // 0 if nobody answered
    std::string headers{};
    std::string body{};

    boost::json::value json() const;  // null if it is none
};

class ApiClient {
public:
    // `headers` go with every request: "Authorization: Bearer KEY\r\n".
    explicit ApiClient(std::uint16_t port, std::string headers = "")
        : port_(port), headers_(std::move(headers)) {}

    ApiAnswer get(std::string_view path) const { return ask("GET", path, ""); }
    ApiAnswer del(std::string_view path) const { return ask("DELETE", path, ""); }
    ApiAnswer post(std::string_view path, std::string_view body) const { return ask("POST", path, body); }
    ApiAnswer ask(std::string_view method, std::string_view path, std::string_view body) const;

    // Asks until the server is ready.
    void wait_until_ready() const;
    // Asks for the status of a crawl or a batch until it is over; follows `next`. The last status, with all
    // documents in `data`.
    boost::json::object wait_for(std::string_view path) const;

private:
    std::uint16_t port_;
    std::string headers_;
};

}  // namespace quarry::test
