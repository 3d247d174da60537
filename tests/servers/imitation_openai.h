// Imitates what speaks OpenAI's /v1/embeddings, in the dialects there are: OpenAI's nested errors, TEI's flat
// ones, plain text; numbers or base64. Items come back in another order than they were sent, as they may.
#pragma once

#include <string>

#include "servers/imitation_conduct.h"

namespace quarry::test {

struct ImitationOpenAiOptions {
    std::uint16_t port = 0;
    std::string key{};  // asked for if set
    enum class Errors { nested, flat, plain } errors = Errors::nested;
    bool answers_base64 = false;  // also if floats were asked for
    std::size_t dimensions = 64;
    std::size_t most_inputs = 2'048;
    std::size_t most_tokens = 8'192;  // in one input
    std::size_t most_tokens_summed = 300'000;
};

class ImitationOpenAi {
public:
    explicit ImitationOpenAi(ImitationOpenAiOptions options = {});

    std::string url() const { return server_.url(""); }
    std::uint16_t port() const { return server_.port(); }
    HostileServer& server() { return server_; }

    ImitationConduct conduct{};

    // The name that answers give the model; "": the one that was asked for.
    void set_answered_model(std::string name);

private:
    struct Asked {
        std::string model{};
        std::vector<std::string> texts{};
        std::size_t dimensions = 0;
        bool wants_base64 = false;
    };

    void embed(const ServerRequest& request, Connection& connection);
    bool commit(Fault fault, const ServerRequest& request, Connection& connection) const;
    // What is wrong with the request's shape, or "".
    std::string read(const ServerRequest& request, Asked& asked) const;
    std::string over_limit(const Asked& asked) const;
    boost::json::value item(const Asked& asked, std::size_t index, Fault fault) const;
    void respond_error(Connection& connection, int status, const std::string& message,
                       std::vector<Header> headers = {}) const;

    const ImitationOpenAiOptions options_;
    Guarded<std::string> answered_model_;
    HostileServer server_;  // last: its threads use what is above
};

}  // namespace quarry::test
