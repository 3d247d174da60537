// An embedder made of a protocol: what is the same whatever a service speaks. It knows what the service is
// and notices when that changes, keeps batches within limits, and lets no wrong vector through.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embed/embedder.h"
#include "embed/halving.h"
#include "embed/service.h"

namespace quarry::embed {

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
