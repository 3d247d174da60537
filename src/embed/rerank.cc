#include "embed/rerank.h"

#include <expected>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "embed/tei_answer.h"

namespace quarry::embed {

namespace {

namespace json = boost::json;

// What every TEI takes unless it was told otherwise; more is not worth a question to /info, less is halved.
constexpr int standard_batch = 32;

std::string rerank_request(const std::string& query, std::span<const std::string> texts) {
    json::array list;
    list.reserve(texts.size());
    for (const std::string& text : texts) list.emplace_back(text);
    return json::serialize(json::object{{"query", query}, {"texts", std::move(list)}, {"truncate", true}});
}

}  // namespace

Reranker::Reranker(Service service, int max_batch)
    : service_(std::move(service)), limits_{.texts = static_cast<std::size_t>(max_batch)} {}

Result<Reranker> Reranker::open(const TeiConfig& config, net::HttpClient& client) {
    Service service = TRY(Service::open(service_of(config), client));
    return Reranker(std::move(service), std::min(config.max_batch, standard_batch));
}

Result<std::vector<float>> Reranker::score(const std::string& query, std::span<const std::string> texts,
                                           const std::stop_token& stop) {
    using Scores = std::expected<std::vector<float>, BatchFailure>;
    return in_batches<float>(texts, limits_, [&](std::span<const std::string> batch) -> Scores {
        const auto response = service_.post("/rerank", rerank_request(query, batch), stop);
        if (!response) return std::unexpected(BatchFailure{response.error()});
        if (response->status != 200)
            return std::unexpected(tei_failure(service_, response->status, response->body));
        auto scores = parse_tei_scores(response->body, batch.size());
        if (!scores)
            return std::unexpected(BatchFailure{
                {scores.error().code, fmt::format("{}: {}", service_.name(), scores.error().message)}});
        return *std::move(scores);
    });
}

}  // namespace quarry::embed
