// A server somewhere else, over quarry's own API (api/own/routes.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "app/settings/settings.h"
#include "base/result.h"
#include "net/http_client.h"

namespace quarry::app {

// The way to a server and what it said of itself. Any thread.
class RemoteApi {
public:
    // The server that the settings name; nothing if they name none. Says hello: `unavailable` if nobody
    // answers there, `refused` without a key that is taken, `unsupported` if it is no quarry, or one that
    // this one cannot talk to. Each sentence says what to do.
    static Result<std::shared_ptr<RemoteApi>> connect(const Settings& settings);

    // `target` is a path with its parameters: "/api/v1/crawls?limit=10". Errors are those that the server
    // answers with. A server that is being started again, or that
    // has been asked too often, is waited for.
    Result<boost::json::value> get(const std::string& target);
    Result<boost::json::value> send(net::HttpMethod method, const std::string& target,
                                    const boost::json::object& body);

    const std::string& url() const { return url_; }
    std::uint64_t salt() const { return salt_; }

private:
    RemoteApi() = default;
    Result<void> greet();
    Result<net::HttpResponse> ask(net::HttpMethod method, const std::string& target, std::string body);
    Result<boost::json::value> read(const net::HttpResponse& response) const;
    Error silence(const Error& error) const;
    Error refusal(int status, std::string_view sentence) const;

    std::unique_ptr<net::HttpClient> client_;
    std::string url_;  // without a slash at its end
    std::string key_;
    std::uint64_t salt_ = 0;
};

// "a/b c" as one step of a path, or as a value behind a '?': "a%2Fb%20c".
std::string escaped(std::string_view text);

}  // namespace quarry::app
