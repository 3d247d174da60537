#include "embed/tei.h"

#include <algorithm>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "embed/remote_embedder.h"
#include "embed/service_words.h"
#include "embed/tei_answer.h"

namespace quarry::embed {

namespace {

namespace json = boost::json;

class TeiProtocol : public EmbeddingProtocol {
public:
    TeiProtocol(TeiConfig config, Service service)
        : config_(std::move(config)), service_(std::move(service)) {}

    Service& service() override { return service_; }
    Description before_asking() const override { return described({}); }
    Result<Description> describe(const Asking& asking) override;
    std::expected<EmbedAnswer, BatchFailure> embed(const std::string& prefix,
                                                   std::span<const std::string> texts,
                                                   const Asking& asking) override;

private:
    Description described(const TeiInfo& info) const;

    const TeiConfig config_;
    Service service_;
};

std::string embed_request(const std::string& prefix, std::span<const std::string> texts) {
    json::array inputs;
    inputs.reserve(texts.size());
    for (const std::string& text : texts) inputs.emplace_back(prefix + text);
    // A text that is too long is refused, not cut: the caller splits it, so that nothing is lost in silence.
    return json::serialize(
        json::object{{"inputs", std::move(inputs)}, {"normalize", true}, {"truncate", false}});
}

Description TeiProtocol::described(const TeiInfo& info) const {
    const int batch = std::min(info.max_client_batch_size, config_.max_batch);
    // The server counts texts, not requests, towards what it takes at once.
    const int in_flight =
        std::clamp(info.max_concurrent_requests / std::max(1, batch), 1, config_.requests_in_flight);
    return {.model = info.model,
            .version = info.sha,
            .limits = {.max_batch = batch,
                       .max_input_tokens = info.max_input_length,
                       .max_batch_tokens = info.max_batch_tokens,
                       .requests_in_flight = in_flight}};
}

Result<Description> TeiProtocol::describe(const Asking& asking) {
    const auto response = TRY(service_.get("/info", asking));
    if (response.status != 200)
        return std::unexpected(service_.error_of(response.status, words_of_error(response.body)));
    const auto info = parse_tei_info(response.body);
    if (!info) return fail(info.error().code, fmt::format("{}: {}", service_.name(), info.error().message));
    if (!info->kind.empty() && info->kind != "embedding")
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} serves a {} ({}), which makes no embeddings", service_.name(),
                                quoted_words(info->kind, {}), quoted_words(info->model, {})));
    return described(*info);
}

std::expected<EmbedAnswer, BatchFailure> TeiProtocol::embed(const std::string& prefix,
                                                            std::span<const std::string> texts,
                                                            const Asking& asking) {
    const auto response = service_.post("/embed", embed_request(prefix, texts), asking);
    if (!response) return std::unexpected(BatchFailure{response.error()});
    if (response->status != 200)
        return std::unexpected(tei_failure(service_, response->status, response->body));
    auto vectors = parse_tei_vectors(response->body);
    if (!vectors)
        return std::unexpected(BatchFailure{
            {vectors.error().code, fmt::format("{}: {}", service_.name(), vectors.error().message)}});
    return EmbedAnswer{.vectors = *std::move(vectors)};
}

}  // namespace

BatchFailure tei_failure(const Service& service, int status, std::string_view body) {
    const std::string words = words_of_error(body);
    const TeiRefusal refusal = tei_refusal(status, words);
    Error error = service.error_of(status, words);
    if (refusal != TeiRefusal::other) error.code = ErrorCode::too_large;
    return {.error = std::move(error), .is_batch_too_large = refusal == TeiRefusal::batch_too_large};
}

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
    RemoteEmbedderConfig remote{
        .provider = "tei", .query_prefix = config.query_prefix, .document_prefix = config.document_prefix};
    auto protocol = std::make_unique<TeiProtocol>(std::move(config), std::move(service));
    return make_remote_embedder(std::move(remote), std::move(protocol));
}

}  // namespace quarry::embed
