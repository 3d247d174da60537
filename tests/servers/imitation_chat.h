// Imitates what speaks OpenAI's /v1/chat/completions, with a "model" that reads: of a page that says "Price:
// 5" in a line it knows the price. It takes the ways to ask for JSON that a test lets it take, and refuses
// the others as real servers do. A test may put other words into its mouth.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "servers/imitation_conduct.h"

namespace quarry::test {

struct ImitationChatOptions {
    std::uint16_t port = 0;
    std::string key{};  // asked for if set
    bool takes_schema = true, takes_json_object = true, takes_tools = true;
    std::size_t most_bytes = 1'000'000;  // in the messages of one request
};

class ImitationChat {
public:
    explicit ImitationChat(ImitationChatOptions options = {});

    std::string url() const { return server_.url(""); }
    std::uint16_t port() const { return server_.port(); }

    ImitationConduct conduct{};

    // What it says to the next requests, one each, before it reads again.
    void say_next(std::vector<std::string> words);
    // The messages it was sent, each request's as one text, oldest first.
    std::vector<std::string> heard();

private:
    struct Asked {
        std::string text{};
        boost::json::object schema{};
        bool wants_tool = false;
    };

    void converse(const ServerRequest& request, Connection& connection);
    // What is wrong with the request, or "".
    std::string read(const boost::json::object& body, Asked& asked) const;
    static std::string answer_to(const Asked& asked);

    const ImitationChatOptions options_;
    Guarded<std::deque<std::string>> scripted_;
    Guarded<std::vector<std::string>> heard_;
    HostileServer server_;  // last: its threads use what is above
};

}  // namespace quarry::test
