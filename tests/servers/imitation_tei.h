// Imitates text-embeddings-inference 1.9: /health, /info, /embed and /rerank, with its limits and its errors.
// The real one cannot be installed where quarry is built; what is imitated was read from its source.
#pragma once

#include <string>

#include "servers/imitation_conduct.h"

namespace quarry::test {

struct ImitationTeiOptions {
    std::uint16_t port = 0;
    std::string key{};               // asked for if set
    std::string kind = "embedding";  // or "reranker"
    std::size_t max_input_length = 512;
    std::size_t max_client_batch_size = 32;
    std::size_t told_batch_size = 0;  // what /info says, if it lies
    std::size_t payload_limit = 2'000'000;
};

struct ImitatedModel {
    std::string id = "BAAI/bge-small-en-v1.5";
    std::string sha = "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a";
    std::size_t dimensions = 64;
};

class ImitationTei {
public:
    explicit ImitationTei(ImitationTeiOptions options = {});

    std::string url() const { return server_.url(""); }
    std::uint16_t port() const { return server_.port(); }
    HostileServer& server() { return server_; }

    ImitationConduct conduct{};

    // As if it were started again with another.
    void set_model(ImitatedModel model);
    ImitatedModel model();

private:
    void info(const ServerRequest& request, Connection& connection);
    void embed(const ServerRequest& request, Connection& connection);
    void rerank(const ServerRequest& request, Connection& connection);
    bool is_let_in(const ServerRequest& request, Connection& connection) const;
    // Answers with TEI's own error for the fault; false if the fault is none of the request's.
    bool commit(Fault fault, const ServerRequest& request, Connection& connection) const;
    bool is_within_limits(const std::vector<std::string>& texts, Connection& connection) const;
    void refuse_shape(const ServerRequest& request, const std::string& about, Connection& connection);

    const ImitationTeiOptions options_;
    Guarded<ImitatedModel> model_;
    HostileServer server_;  // last: its threads use what is above
};

}  // namespace quarry::test
