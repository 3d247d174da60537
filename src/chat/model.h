// A language model behind anything that speaks OpenAI's /v1/chat/completions: OpenAI itself, Ollama, vLLM,
// llama.cpp. What its server answered is read here too: those bytes are as hostile as any page's, and the
// model's own words are no better. JSON that was asked for may come with words around it.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "embed/service.h"

namespace quarry::chat {

// What a language model's server answered. Its bytes are as hostile as any page's, and the model's own words
// are no better: JSON that was asked for may come with words around it.

struct ModelAnswer {
    std::string text{};    // what the model said; the arguments, if it called the tool that it was given
    bool was_cut = false;  // it had no room to finish
};

// Of POST /v1/chat/completions. `corrupt` if the body is no such answer, `refused` if the model says that it
// will not answer.
Result<ModelAnswer> parse_model_answer(std::string_view body);

// The object or list in what a model said: all of it, in a fence, after its thoughts, or between other words.
std::optional<boost::json::value> json_in(std::string_view text);

// A language model behind anything that speaks OpenAI's /v1/chat/completions: OpenAI itself, Ollama, vLLM,
// llama.cpp.

struct ModelConfig {
    std::string url = "https://api.openai.com";  // with or without /v1 at its end
    std::string key{};
    std::string name{};  // must be set: the server has many
    std::chrono::milliseconds timeout{120'000};
    std::chrono::milliseconds connect_timeout{5'000};
    std::size_t page_bytes = 48'000;  // of a page in one request; longer ones are split
    embed::ServiceTime time{};
};

struct Question {
    std::string instructions{};
    std::string text{};
    const boost::json::value* schema = nullptr;  // of the JSON that is wanted; nullptr: any
};

// Any thread.
class Model {
public:
    // Asks nothing yet. `invalid_argument` if the URL is none or no model is named. The client must outlive
    // it.
    static Result<std::unique_ptr<Model>> open(ModelConfig config, net::HttpClient& client);

    // What the model says. Errors as embed::Service's; `too_large` if the text is longer than the model
    // takes, or the answer did not fit.
    Result<std::string> ask(const Question& question, const std::stop_token& stop);

    // The same in JSON. The server is asked to keep the schema, if it can: by response_format, by a tool
    // call, or by words alone, whichever it takes first; that is remembered. `corrupt` if the answer has no
    // JSON in it.
    Result<boost::json::value> ask_json(const Question& question, const std::stop_token& stop);

    const ModelConfig& config() const { return config_; }

private:
    // How a server is told that JSON is wanted; from the strictest on.
    enum class JsonMode : std::uint8_t { schema, object, tool, words };

    Model(ModelConfig config, embed::Service service);
    boost::json::object request_for(const Question& question) const;
    static void want_json(boost::json::object& request, const Question& question, JsonMode mode);
    Result<std::string> send(const boost::json::object& request, bool& is_mode_refused,
                             const std::stop_token& stop);

    const ModelConfig config_;
    embed::Service service_;
    std::atomic<JsonMode> mode_ = JsonMode::schema;
};

}  // namespace quarry::chat
