// Imitates Qdrant's REST interface as far as quarry uses it, with its envelope and its errors. It promises
// less than it could: the points of one request become visible one after another, and a test may read between
// any two of them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "servers/imitation_conduct.h"
#include "servers/imitation_qdrant_collection.h"

namespace quarry::test {

struct ImitationQdrantOptions {
    std::uint16_t port = 0;
    std::string key{};                // asked for if set, in the header api-key
    bool knows_vector_routes = true;  // PUT and DELETE /collections/{c}/vectors/{v}: newer servers only
    std::size_t most_body_bytes = 32 << 20;
};

class ImitationQdrant {
public:
    explicit ImitationQdrant(ImitationQdrantOptions options = {});

    std::string url() const { return server_.url(""); }
    std::uint16_t port() const { return server_.port(); }
    HostileServer& server() { return server_; }

    ImitationConduct conduct{};

    // Called whenever a point has changed, while the request that changes it goes on. It may ask this server.
    void on_change(std::function<void()> watch);
    // Called when the result of a request is known and not yet sent. It may ask this server, too.
    void on_result(std::function<void(const ServerRequest&)> watch);

    std::size_t count_points(const std::string& collection);
    std::size_t count_collections();

private:
    using Collections = std::map<std::string, QdrantCollection>;
    struct Call {
        const ServerRequest& request;
        Connection& connection;
        std::string collection{};
        std::string_view rest{};  // of the path, behind the collection: "/points/query"
        boost::json::object body{};
        Fault fault = Fault::none;
    };

    void handle(const ServerRequest& request, Connection& connection);
    void dispatch(Call& call);
    bool commit(const Call& call);
    void list_collections(Call& call);
    void create(Call& call);
    void drop(Call& call);
    void put_vector(Call& call);
    void drop_vector(Call& call);
    void put_index(Call& call);
    void upsert(Call& call);
    void retrieve(Call& call);
    void erase(Call& call);
    void set_payload(Call& call);
    void count(Call& call);
    void scroll(Call& call);
    void query(Call& call);

    // Runs `use` with the collection, or answers 404.
    template <typename Use>
    bool with(Call& call, Use&& use);
    std::optional<std::vector<std::string>> selected(Call& call);
    void changed();

    void answer(Call& call, boost::json::value result);
    void answer_update(Call& call);
    void refuse(Call& call, int status, const std::string& error);
    void refuse_shape(Call& call, const std::string& error);  // and counts it as a wrong request
    bool has_only(Call& call, std::initializer_list<std::string_view> fields);

    const ImitationQdrantOptions options_;
    Guarded<Collections> collections_;
    Guarded<std::function<void()>> watch_;
    Guarded<std::function<void(const ServerRequest&)>> result_watch_;
    HostileServer server_;  // last: its threads use what is above
};

}  // namespace quarry::test
