#include "embed/tei.h"

#include <algorithm>
#include <cmath>
#include <expected>
#include <optional>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "embed/answers.h"
#include "embed/embedder.h"

namespace quarry::embed {

namespace {

namespace json = boost::json;

constexpr int largest_limit = 1'000'000'000;

std::string text_at(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

// Of a limit that cannot be, the default is kept.
void read_limit(const json::object& object, std::string_view key, int& limit) {
    const json::value* value = object.if_contains(key);
    if (value == nullptr || !value->is_int64() || value->get_int64() < 1) return;
    limit = static_cast<int>(std::min<std::int64_t>(value->get_int64(), largest_limit));
}

// {"embedding":{…}}, {"classifier":{…}} or {"reranker":{…}}.
std::string kind_of(const json::object& info) {
    const json::value* type = info.if_contains("model_type");
    if (type == nullptr || !type->is_object() || type->get_object().empty()) return {};
    return lower_case(type->get_object().begin()->key());
}

std::string_view without_prefix(std::string_view words) {
    for (const std::string_view prefix : {"Input validation error: ", "tokenizer error ", "Backend error: "})
        if (words.starts_with(prefix)) return words.substr(prefix.size());
    return words;
}

struct Rank {
    std::size_t index = 0;
    float score = 0;
};

std::optional<Rank> read_rank(const json::value& value) {
    const json::object* object = value.if_object();
    if (object == nullptr) return std::nullopt;
    const json::value* index = object->if_contains("index");
    const json::value* score = object->if_contains("score");
    if (index == nullptr || score == nullptr || !score->is_number()) return std::nullopt;
    if (!index->is_int64() || index->get_int64() < 0) return std::nullopt;
    json::error_code error;
    const auto number = static_cast<float>(score->to_number<double>(error));
    if (error || !std::isfinite(number)) return std::nullopt;
    return Rank{static_cast<std::size_t>(index->get_int64()), number};
}

}  // namespace

Result<TeiInfo> parse_tei_info(std::string_view body) {
    const json::value answer = TRY(parse_json_answer(body));
    const json::object* object = answer.if_object();
    if (object == nullptr || text_at(*object, "model_id").empty())
        return fail(ErrorCode::corrupt, "the answer of /info names no model");
    TeiInfo info{.model = text_at(*object, "model_id"),
                 .sha = text_at(*object, "model_sha"),
                 .kind = kind_of(*object)};
    read_limit(*object, "max_client_batch_size", info.max_client_batch_size);
    read_limit(*object, "max_input_length", info.max_input_length);
    read_limit(*object, "max_batch_tokens", info.max_batch_tokens);
    read_limit(*object, "max_concurrent_requests", info.max_concurrent_requests);
    return info;
}

Result<std::vector<Vector>> parse_tei_vectors(std::string_view body) {
    const json::value answer = TRY(parse_json_answer(body));
    const json::array* list = answer.if_array();
    if (list == nullptr) return fail(ErrorCode::corrupt, "the answer is not a list of vectors");
    std::vector<Vector> vectors;
    vectors.reserve(list->size());
    for (const json::value& value : *list) vectors.push_back(TRY(read_vector(value)));
    return vectors;
}

Result<std::vector<float>> parse_tei_scores(std::string_view body, std::size_t texts) {
    const json::value answer = TRY(parse_json_answer(body));
    const json::array* list = answer.if_array();
    if (list == nullptr || list->size() != texts)
        return fail(ErrorCode::corrupt, fmt::format("the answer is not a list of {} scores", texts));
    std::vector<float> scores(texts, NAN);
    for (const json::value& value : *list) {
        const auto rank = read_rank(value);
        if (!rank || rank->index >= texts || !std::isnan(scores[rank->index]))
            return fail(ErrorCode::corrupt, "the answer has a score that belongs to no text");
        scores[rank->index] = rank->score;
    }
    return scores;
}

TeiRefusal tei_refusal(int status, std::string_view words) {
    if (status == 413) return TeiRefusal::batch_too_large;
    if (status != 422) return TeiRefusal::other;
    const std::string_view reason = without_prefix(words);
    if (reason.starts_with("batch size")) return TeiRefusal::batch_too_large;
    return reason.find("tokens") != reason.npos ? TeiRefusal::input_too_long : TeiRefusal::other;
}

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
            .waits = three_waits(config.retry_wait),
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
