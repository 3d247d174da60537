// The HTTP API over a data folder that this process owns.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/api.h"
#include "api/server/server.h"
#include "app/distant_owner.h"
#include "app/owner/process.h"
#include "app/data_source.h"
#include "base/result.h"

namespace quarry::app {

struct ListenAddress {
    std::string address{};
    std::uint16_t port = 0;
    bool is_for_others = false;                // who reaches it is somebody else's to decide
    std::string tls_certificate{}, tls_key{};  // files; none: no TLS

    bool is_loopback() const;
};

// "127.0.0.1:3002", "[::1]:3002", ":3002" or "3002". `invalid_argument` if it is something else.
Result<ListenAddress> parse_listen_address(std::string_view text);

class ApiService {
public:
    // Listens when it returns. The owner and the place outlive it.
    static Result<std::unique_ptr<ApiService>> start(OwnerProcess& owner, const Workplace& place,
                                                     const ListenAddress& listen, OwnerProcess::Log log);
    // The same over a folder that another process works on, or none; `write_trouble`: or none can.
    static Result<std::unique_ptr<ApiService>> start_apart(const Workplace& place,
                                                           const ListenAddress& listen, OwnerProcess::Log log,
                                                           std::optional<Error> write_trouble = {});
    ~ApiService();

    std::uint16_t port() const { return server_->port(); }

    // Answers what is under way, but waits no longer than this; takes nothing new.
    void leave(std::chrono::milliseconds patience);

private:
    ApiService() = default;
    Result<void> listen(api::Services services, const Workplace& place, const ListenAddress& listen);

    std::unique_ptr<WebAccess> web_;       // of a service without an owner of its own
    std::unique_ptr<DistantOwner> owner_;  // its worker
    std::unique_ptr<api::Api> api_;
    std::unique_ptr<api::Server> server_;
};

}  // namespace quarry::app
