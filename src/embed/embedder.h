// Text to vectors by a service: TEI, or anything that speaks OpenAI's /v1/embeddings.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "embed/service.h"
#include "model/model_collection.h"

namespace quarry::embed {

using Vector = std::vector<float>;  // of length 1, unless the service refuses to

struct EmbedderLimits {
    int max_batch = 32;          // texts in one request
    int max_input_tokens = 512;  // in one text
    int max_batch_tokens = 16'384;
    int requests_in_flight = 8;  // more gain nothing, or are refused
};

class Embedder {
public:
    virtual ~Embedder() = default;

    // What the service says it is. Asked once and remembered; asked again after the service was away.
    virtual Result<EmbedderFacts> facts() = 0;
    virtual EmbedderLimits limits() = 0;

    // One vector per text, in their order, all of facts().dimensions and finite. Thread-safe; callers may
    // have limits().requests_in_flight calls under way. A batch that the service finds too large is halved in
    // here.
    //
    // Errors: `unavailable` (not there, overloaded, circuit open: the same again later), `too_large` (a text
    // is too long for the model; which one of several, the caller finds out by sending fewer), `refused`
    // (401, 403: the key), `conflict` (it is not the model it was: its facts have changed), `corrupt` (wrong
    // count, wrong dimensions, NaN, not JSON), `invalid_argument` (any other 4xx), `timeout`, `interrupted`.
    virtual Result<std::vector<Vector>> embed(std::span<const std::string> texts, const Asking& asking) = 0;

    // After embed() has failed: asks for the facts anew and for the vector of one short word, with a single
    // try each. When that succeeds the service does its work, and the texts were to blame.
    virtual Result<void> try_out(const std::stop_token& stop) = 0;

    // How often embed() failed since too many texts were sent, which is no fault of these.
    virtual std::uint64_t times_overloaded() const = 0;

    // Somebody says that the service is there: the circuit does not stand in the way of the next calls.
    virtual void ask_at_once() = 0;

    // The vector to search with: some models want a question told apart from a passage.
    virtual Result<Vector> embed_query(const std::string& query, std::stop_token stop) {
        auto vectors = TRY(embed({&query, 1}, std::move(stop)));
        return std::move(vectors.at(0));
    }
};

}  // namespace quarry::embed
