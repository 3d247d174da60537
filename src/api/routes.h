// The routes: one table, from which requests are dispatched and the OpenAPI description is made.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>
#include <boost/json/fwd.hpp>

#include "api/server/message.h"
#include "api/server/server.h"
#include "model/collection.h"
#include "store/reader.h"

namespace quarry::api {

// The routes: one table (routes.cc), from which requests are dispatched and the OpenAPI description is made.

class Api;

// A request that is not answered yet.
struct Call {
    std::shared_ptr<Exchange> exchange{};
    std::vector<std::string> values{};  // of the {names} in the route's path, in order
    boost::json::object body{};         // of a route that takes JSON
    std::string owner{local_owner};     // whose crawls it may see
    std::string request_id{};

    const Request& request() const { return exchange->request(); }
    bool is_v1() const { return request().path.starts_with("/v1/"); }  // of an old client
    // The collection's name in the store: each owner has names of its own.
    std::string collection(std::string_view name) const { return owned_collection(owner, name); }
    void respond(Response response) const { exchange->respond(std::move(response)); }
};

enum class BodyKind : std::uint8_t { none, json, bytes };

// The most bytes of a body: one that the route does not read, JSON, or a form with a file in it.
constexpr std::uint64_t most_bytes_of(BodyKind kind) {
    switch (kind) {
        case BodyKind::none: return 64u << 10;
        case BodyKind::json: return 10u << 20;
        case BodyKind::bytes: return 52u << 20;
    }
    return 0;
}

enum class Access : std::uint8_t {
    key,            // with a key, where keys are asked for
    open,           // for every client: whether the server lives
    operator_only,  // for the machine's own user: the answer is about all owners
};

// Whether one answer may serve all equal requests that come within a moment.
enum class Sharing : std::uint8_t { none, moment };

struct Route {
    Method method{};
    std::string_view path{};  // "/v2/crawl/{id}"
    std::string_view summary{};
    // Called on a thread of the reader pool, where it may read from the store. It answers the call at once,
    // or arranges a later answer.
    void (*run)(Api& api, store::Reader& reader, Call call) = nullptr;
    BodyKind body = BodyKind::none;
    Access access = Access::key;
    Sharing sharing = Sharing::none;
};

std::span<const Route> all_routes();

struct Found {
    const Route* route = nullptr;  // null: no such path
    std::vector<std::string> values{};
    std::vector<Method> allowed{};  // of the path, if it has routes for other methods only
};

// The route for a path. A name in braces takes one segment of the path, decoded.
Found find_route(std::span<const Route> routes, Method method, std::string_view path);

// The OpenAPI description of the API, made from the table of routes.

boost::json::object openapi_of(std::span<const Route> routes, std::string_view version);

}  // namespace quarry::api
