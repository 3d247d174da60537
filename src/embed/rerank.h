// Scores of passages for a question by a cross encoder that TEI serves: slower than any index, and better.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "embed/tei.h"

namespace quarry::embed {

// Any thread.
class Reranker {
public:
    // The client must outlive it. `invalid_argument` if the URL is none. Asks nothing yet.
    static Result<Reranker> open(const TeiConfig& config, net::HttpClient& client);

    // One score per text, in their order; the higher, the better. Texts that are too long for the model are
    // cut by it: their beginnings decide. Errors are those of an Embedder.
    Result<std::vector<float>> score(const std::string& query, std::span<const std::string> texts,
                                     const std::stop_token& stop);

private:
    Reranker(Service service, int max_batch);

    Service service_;
    BatchLimits limits_;
};

}  // namespace quarry::embed
