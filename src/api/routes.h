// The routes: one table, from which requests are dispatched and the API is described as OpenAPI describes
// such things.
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

// The routes: one table (routes.cc), from which requests are dispatched and the API is described.

class Api;

// A request on its way to its answer.
struct Call {
    std::shared_ptr<Exchange> exchange{};
    std::vector<std::string> values{};  // of the {names} in the route's path, in order
    boost::json::object body{};         // of a route that takes JSON
    std::string owner{local_owner};     // whose crawls it may see
    std::string request_id{};

    const Request& request() const { return exchange->request(); }
    bool is_v1() const { return request().path.starts_with("/v1/"); }  // of an old client
    // A collection as the store knows it: each owner has names of their own.
    std::string collection(std::string_view name) const { return owned_collection(owner, name); }
    void respond(Response response) const { exchange->respond(std::move(response)); }
};

enum class BodyKind : std::uint8_t { none, json, bytes };

// What a route takes of a body whose words it does not read, of JSON, and of a form with a file in it.
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
    open,           // for anybody: whether the server lives
    operator_only,  // for the machine's own: it is about all owners
};

// Whether an answer may be given to all who ask the same within a moment.
enum class Sharing : std::uint8_t { none, moment };

struct Route {
    Method method{};
    std::string_view path{};  // "/v2/crawl/{id}"
    std::string_view summary{};
    // Called at a desk, where it may read. It answers then, or sees to it that somebody does later.
    void (*run)(Api& api, store::Reader& reader, Call call) = nullptr;
    BodyKind body = BodyKind::none;
    Access access = Access::key;
    Sharing sharing = Sharing::none;
};

std::span<const Route> all_routes();

struct Found {
    const Route* route = nullptr;  // nothing: no such path
    std::vector<std::string> values{};
    std::vector<Method> allowed{};  // of the path, if it has routes of other methods only
};

// The route that a path means. A name in braces takes one step of the path, decoded.
Found find_route(std::span<const Route> routes, Method method, std::string_view path);

// The API as OpenAPI describes such things, made from the table of routes.

boost::json::object openapi_of(std::span<const Route> routes, std::string_view version);

}  // namespace quarry::api
