#include "embed/tei.h"

#include <algorithm>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/guarded.h"
#include "embed/halving.h"
#include "embed/json_answer.h"
#include "embed/known_facts.h"
#include "embed/service_words.h"
#include "embed/tei_answer.h"

namespace quarry::embed {

namespace {

namespace json = boost::json;
using Batch = std::span<const std::string>;
using BatchResult = std::expected<std::vector<Vector>, BatchFailure>;

class TeiEmbedder : public Embedder {
public:
    TeiEmbedder(TeiConfig config, Service service)
        : config_(std::move(config)), service_(std::move(service)) {}

    Result<EmbedderFacts> facts() override { return facts_now({}); }
    EmbedderLimits limits() override;
    Result<std::vector<Vector>> embed(Batch texts, std::stop_token stop) override;
    Result<Vector> embed_query(const std::string& query, std::stop_token stop) override;

private:
    Result<EmbedderFacts> facts_now(const std::stop_token& stop);
    Result<EmbedderFacts> ask_facts(const std::stop_token& stop);
    Result<TeiInfo> ask_info(const std::stop_token& stop);
    Result<int> learn_dimensions(const std::stop_token& stop);
    Result<std::vector<Vector>> embed_with(const std::string& prefix, Batch texts,
                                           const std::stop_token& stop);
    BatchResult embed_batch(const std::string& prefix, Batch texts, int dimensions,
                            const std::stop_token& stop);
    BatchFailure refused(int status, std::string_view body) const;
    Error wrong_answer(Error error, const std::stop_token& stop);

    const TeiConfig config_;
    Service service_;
    KnownFacts known_;
    Guarded<TeiInfo> info_;
};

std::string embed_request(const std::string& prefix, Batch texts) {
    json::array inputs;
    inputs.reserve(texts.size());
    for (const std::string& text : texts) inputs.emplace_back(prefix + text);
    // A text that is too long is refused, not cut: the caller splits it, so that nothing is lost in silence.
    return json::serialize(
        json::object{{"inputs", std::move(inputs)}, {"normalize", true}, {"truncate", false}});
}

EmbedderLimits TeiEmbedder::limits() {
    return info_.with([&](const TeiInfo& info) {
        const int batch = std::min(info.max_client_batch_size, config_.max_batch);
        return EmbedderLimits{
            .max_batch = batch,
            .max_input_tokens = info.max_input_length,
            .max_batch_tokens = info.max_batch_tokens,
            // The server counts texts, not requests, towards what it takes at once.
            .requests_in_flight =
                std::clamp(info.max_concurrent_requests / std::max(1, batch), 1, config_.requests_in_flight)};
    });
}

Result<EmbedderFacts> TeiEmbedder::facts_now(const std::stop_token& stop) {
    if (auto facts = known_.at({service_.now(), service_.times_away()})) return *std::move(facts);
    return ask_facts(stop);
}

Result<TeiInfo> TeiEmbedder::ask_info(const std::stop_token& stop) {
    const auto response = TRY(service_.get("/info", stop));
    if (response.status != 200)
        return std::unexpected(service_.error_of(response.status, words_of_error(response.body)));
    auto info = parse_tei_info(response.body);
    if (!info) return fail(info.error().code, fmt::format("{}: {}", service_.name(), info.error().message));
    if (!info->kind.empty() && info->kind != "embedding")
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} serves a {} ({}), which makes no embeddings", service_.name(),
                                quoted_words(info->kind, {}), quoted_words(info->model, {})));
    return info;
}

Result<EmbedderFacts> TeiEmbedder::ask_facts(const std::stop_token& stop) {
    const KnownFacts::Moment moment{service_.now(), service_.times_away()};
    TeiInfo info = TRY(ask_info(stop));
    EmbedderFacts facts{.provider = "tei", .model = info.model, .version = info.sha};
    // Another prefix makes other vectors of the same texts.
    if (!config_.document_prefix.empty()) facts.version += fmt::format(" \"{}\"", config_.document_prefix);
    facts.dimensions = TRY(learn_dimensions(stop));
    info_.with([&](TeiInfo& known) { known = std::move(info); });
    return known_.learn(facts, moment, service_.name());
}

// /info does not tell: a vector does.
Result<int> TeiEmbedder::learn_dimensions(const std::stop_token& stop) {
    const std::string word = "quarry";
    auto vectors = embed_batch({}, {&word, 1}, 0, stop);
    if (!vectors) return std::unexpected(std::move(vectors.error().error));
    return static_cast<int>(vectors->front().size());
}

Result<std::vector<Vector>> TeiEmbedder::embed(Batch texts, std::stop_token stop) {
    return embed_with(config_.document_prefix, texts, stop);
}

Result<Vector> TeiEmbedder::embed_query(const std::string& query, std::stop_token stop) {
    auto vectors = TRY(embed_with(config_.query_prefix, {&query, 1}, stop));
    return std::move(vectors.front());
}

Result<std::vector<Vector>> TeiEmbedder::embed_with(const std::string& prefix, Batch texts,
                                                    const std::stop_token& stop) {
    if (std::ranges::any_of(texts, &std::string::empty))
        return fail(ErrorCode::invalid_argument, "an empty text has no vector");
    if (texts.empty()) return std::vector<Vector>{};
    const EmbedderFacts facts = TRY(facts_now(stop));
    return in_batches<Vector>(
        texts, static_cast<std::size_t>(limits().max_batch), [&](Batch batch) -> BatchResult {
            auto vectors = embed_batch(prefix, batch, facts.dimensions, stop);
            if (!vectors && vectors.error().error.code == ErrorCode::corrupt)
                vectors.error().error = wrong_answer(std::move(vectors.error().error), stop);
            return vectors;
        });
}

BatchResult TeiEmbedder::embed_batch(const std::string& prefix, Batch texts, int dimensions,
                                     const std::stop_token& stop) {
    const auto response = service_.post("/embed", embed_request(prefix, texts), stop);
    if (!response) return std::unexpected(BatchFailure{response.error()});
    if (response->status != 200) return std::unexpected(refused(response->status, response->body));
    auto vectors = parse_tei_vectors(response->body);
    const auto checked =
        vectors ? check_vectors(*vectors, texts.size(), dimensions) : std::unexpected(vectors.error());
    if (!checked)
        return std::unexpected(BatchFailure{
            {checked.error().code, fmt::format("{}: {}", service_.name(), checked.error().message)}});
    return *std::move(vectors);
}

BatchFailure TeiEmbedder::refused(int status, std::string_view body) const {
    const std::string words = words_of_error(body);
    const TeiRefusal refusal = tei_refusal(status, words);
    Error error = service_.error_of(status, words);
    if (refusal != TeiRefusal::other) error.code = ErrorCode::too_large;
    return {.error = std::move(error), .is_batch_too_large = refusal == TeiRefusal::batch_too_large};
}

// The likeliest reason for a vector of other dimensions is another model, which is the better answer to give.
Error TeiEmbedder::wrong_answer(Error error, const std::stop_token& stop) {
    known_.doubt();
    const auto facts = facts_now(stop);
    return !facts && facts.error().code == ErrorCode::conflict ? facts.error() : std::move(error);
}

}  // namespace

ServiceConfig service_of(const TeiConfig& config) {
    return {.name = "TEI",
            .url = config.url,
            .key = config.api_key,
            .key_setting = config.key_setting,
            .timeout = config.timeout,
            .connect_timeout = config.connect_timeout,
            .breaker = config.breaker,
            .time = config.time};
}

Result<std::unique_ptr<Embedder>> open_tei_embedder(TeiConfig config, net::HttpClient& client) {
    Service service = TRY(Service::open(service_of(config), client));
    return std::make_unique<TeiEmbedder>(std::move(config), std::move(service));
}

}  // namespace quarry::embed
