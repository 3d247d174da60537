// The HTTP API over a data folder.
// This process owns the folder, or another process does and this one only asks: `quarry serve --workers 0`
// (DistantOwner). If nobody owns the folder for the moment, what is asked for is done here and waits for
// the next worker.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/json/fwd.hpp>

#include "api/api.h"
#include "api/server/server.h"
#include "app/data_source.h"
#include "app/owner/process.h"
#include "app/services/index_access.h"
#include "base/guarded.h"
#include "base/observers.h"
#include "base/result.h"
#include "store/store.h"

namespace quarry::app {

// A data folder that another process works on, seen from one that only asks: `quarry serve --workers 0`. If
// nobody owns it for the moment, what is asked for is done here and waits for the next worker.

class DistantOwner {
public:
    // `place` outlives it.
    explicit DistantOwner(const DataSource& place);

    // What app/owner/methods.h names. Any thread, as all of this.
    Result<boost::json::value> perform(std::string_view method, boost::json::object params);
    Result<search::SearchAnswer> search(const search::SearchRequest& request);

    // As Store::observe. Events that fell into a time without an owner are not told, but that of a crawl
    // which ended then is.
    std::shared_ptr<void> observe(store::Store::Observer observer);

private:
    void follow(std::stop_token stop);
    void follow(OwnerClient& owner, std::stop_token stop);
    void tell(std::span<const store::Event> events);
    // Of all crawls that are over: who waits for one hears of it.
    void tell_of_those_over();

    const DataSource& place_;
    // Each is used for one search at a time; those that nobody uses wait here.
    Guarded<std::vector<std::unique_ptr<SearchService>>> searches_;
    Observers<std::span<const store::Event>> observers_;
    std::jthread follower_;  // the last: it uses all of the above
};

// The HTTP API over a data folder that this process owns.

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
    static Result<std::unique_ptr<ApiService>> start(OwnerProcess& owner, const DataSource& place,
                                                     const ListenAddress& listen, OwnerProcess::Log log);
    // The same over a folder that another process works on, or none; `write_trouble`: or none can.
    static Result<std::unique_ptr<ApiService>> start_apart(const DataSource& place,
                                                           const ListenAddress& listen, OwnerProcess::Log log,
                                                           std::optional<Error> write_trouble = {});
    ~ApiService();

    std::uint16_t port() const { return server_->port(); }

    // Answers what is under way, but waits no longer than this; takes nothing new.
    void leave(std::chrono::milliseconds patience);

private:
    ApiService() = default;
    Result<void> listen(api::Services services, const DataSource& place, const ListenAddress& listen);

    std::unique_ptr<WebAccess> web_;       // of a service without an owner of its own
    std::unique_ptr<DistantOwner> owner_;  // its worker
    std::unique_ptr<api::Api> api_;
    std::unique_ptr<api::Server> server_;
};

}  // namespace quarry::app
