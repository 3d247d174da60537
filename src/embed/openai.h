// Anything that speaks OpenAI's /v1/embeddings: OpenAI itself, Ollama, vLLM, llama.cpp, and TEI too. Here
// are the embedder, and the reading of what /v1/embeddings answers, which is pure and fuzzed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "embed/embedder.h"
#include "embed/service.h"

namespace quarry::embed {

// What /v1/embeddings answers, as bytes and as values. Pure; fuzzed.

struct OpenAiVectors {
    std::vector<Vector> vectors{};  // by their index, whatever order they came in
    std::string model{};            // that made them; "" if the answer does not say
};

// `corrupt` if the body is something else, or an index is missing or there twice. A vector may be a list of
// numbers or the base64 of little-endian floats.
Result<OpenAiVectors> parse_openai_vectors(std::string_view body);

// True if a refusal is about the size of what was sent: too many texts, or too many tokens. Servers word it
// in many ways.
bool is_refused_for_size(int status, std::string_view words);

// Anything that speaks OpenAI's /v1/embeddings: OpenAI itself, Ollama, vLLM, llama.cpp, and TEI too.

struct OpenAiConfig {
    std::string url = "https://api.openai.com";  // with or without /v1 at its end
    std::string api_key{};
    std::string key_setting = "embedding.openai_key";
    std::string model{};  // must be set: the server has many
    int dimensions = 0;   // shorter vectors, if the model can; 0: as the model makes them

    // Put in front of what is embedded, for models that were taught so: e5 wants "query: " and "passage: ".
    std::string query_prefix{}, document_prefix{};

    std::chrono::milliseconds timeout{60'000};
    std::chrono::milliseconds connect_timeout{5'000};
    std::chrono::milliseconds retry_wait{1'000};  // before the second try; twice, then four times as long after that
    int max_batch = 100;           // texts in one request; OpenAI takes 2048
    int max_input_tokens = 8'192;  // in one text
    int requests_in_flight = 8;
    BreakerConfig breaker{};
    ServiceTime time{};
};

// Asks nothing yet. `invalid_argument` if the URL is none or no model is named. The client must outlive the
// embedder.
Result<std::unique_ptr<Embedder>> open_openai_embedder(OpenAiConfig config, net::HttpClient& client);

}  // namespace quarry::embed
