// Text to vectors by a service: TEI, or anything that speaks OpenAI's /v1/embeddings. make_remote_embedder
// makes an embedder of a protocol and does what is the same for all: it notices when the service has become
// another, keeps batches within limits, and lets no wrong vector through. A list of texts goes in requests
// of the size that the service says it takes; when it refuses one, half as many are sent, down to one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <expected>
#include <iterator>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "embed/service.h"
#include "model/collection.h"

namespace quarry::embed {

// Text to vectors by a service: TEI, or anything that speaks OpenAI's /v1/embeddings.

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

// A list of texts in requests of a size the service takes. What it says about its limits is believed until it
// refuses: then half as many are sent, down to one.

struct BatchFailure {
    Error error;
    bool is_batch_too_large = false;  // fewer texts at once may do
};

struct BatchLimits {
    std::size_t texts = 32;
    std::size_t bytes = 1'000'000;  // of all texts together; one alone may have more
};

// How many of the first texts are one batch; at least one.
inline std::size_t first_batch(std::span<const std::string> texts, const BatchLimits& limits) {
    std::size_t count = 0, bytes = 0;
    while (count < texts.size() && count < limits.texts) {
        bytes += texts[count].size();
        if (count > 0 && bytes > limits.bytes) break;
        ++count;
    }
    return std::max<std::size_t>(1, count);
}

// `ask(batch)` returns std::expected<std::vector<Part>, BatchFailure> with one part per text.
template <typename Part, typename Ask>
Result<std::vector<Part>> in_batches(std::span<const std::string> texts, BatchLimits limits, Ask&& ask) {
    std::vector<Part> parts;
    parts.reserve(texts.size());
    while (!texts.empty()) {
        const std::span<const std::string> batch = texts.first(first_batch(texts, limits));
        std::expected<std::vector<Part>, BatchFailure> answer = ask(batch);
        if (answer) {
            std::ranges::move(*answer, std::back_inserter(parts));
            texts = texts.subspan(batch.size());
        } else if (answer.error().is_batch_too_large && batch.size() > 1) {
            limits.texts = batch.size() / 2;
        } else {
            return std::unexpected(std::move(answer.error().error));
        }
    }
    return parts;
}

// An embedder made of a protocol: what is the same whatever a service speaks. It knows what the service is
// and notices when that changes, keeps batches within limits, and lets no wrong vector through.

// What a service says of itself. The dimensions are learnt from a first vector.
struct Description {
    std::string model{};
    std::string version{};
    EmbedderLimits limits{};
    std::size_t max_batch_bytes = 1'000'000;  // of texts in one request
};

struct EmbedAnswer {
    std::vector<Vector> vectors{};  // as they came: not yet checked
    std::string model{};            // that made them, if the answer says so
};

// One implementation per protocol. Any thread.
class EmbeddingProtocol {
public:
    virtual ~EmbeddingProtocol() = default;

    virtual Service& service() = 0;
    virtual Description before_asking() const = 0;
    virtual Result<Description> describe(const Asking& asking) = 0;

    // One request, with `prefix` in front of each text. Texts that are too long are refused, never cut.
    virtual std::expected<EmbedAnswer, BatchFailure> embed(const std::string& prefix,
                                                           std::span<const std::string> texts,
                                                           const Asking& asking) = 0;
};

struct RemoteEmbedderConfig {
    std::string provider{};  // "tei", "openai"
    std::string query_prefix{}, document_prefix{};
};

std::unique_ptr<Embedder> make_remote_embedder(RemoteEmbedderConfig config,
                                               std::unique_ptr<EmbeddingProtocol> protocol);

}  // namespace quarry::embed
