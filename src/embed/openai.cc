#include "embed/openai.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "base/base64.h"
#include "embed/answers.h"
#include "embed/embedder.h"

namespace quarry::embed {

namespace {

namespace json = boost::json;

Result<Vector> vector_of_base64(std::string_view text) {
    const auto bytes = decode_base64(text);
    if (!bytes || bytes->size() % sizeof(float) != 0)
        return fail(ErrorCode::corrupt, "the answer has a vector that is not base64 of floats");
    Vector vector(bytes->size() / sizeof(float));
    for (std::size_t i = 0; i < vector.size(); ++i) {
        std::uint32_t word = 0;
        for (std::size_t byte = 0; byte < 4; ++byte)
            word |= static_cast<std::uint32_t>(static_cast<unsigned char>((*bytes)[4 * i + byte]))
                    << (8 * byte);
        vector[i] = std::bit_cast<float>(word);
        if (!std::isfinite(vector[i]))
            return fail(ErrorCode::corrupt, "the answer has a vector with something that is not a number");
    }
    return vector;
}

// The place of one item, if it has a proper one that is still free.
std::optional<std::size_t> place_of(const json::object& item, const std::vector<Vector>& taken) {
    const json::value* index = item.if_contains("index");
    if (index == nullptr || !index->is_int64() || index->get_int64() < 0) return std::nullopt;
    const auto place = static_cast<std::size_t>(index->get_int64());
    if (place >= taken.size() || !taken[place].empty()) return std::nullopt;
    return place;
}

}  // namespace

Result<OpenAiVectors> parse_openai_vectors(std::string_view body) {
    const json::value answer = TRY(parse_json_answer(body));
    const json::object* object = answer.if_object();
    const json::value* data = object != nullptr ? object->if_contains("data") : nullptr;
    if (data == nullptr || !data->is_array())
        return fail(ErrorCode::corrupt, "the answer has no list of vectors");
    OpenAiVectors found;
    if (const json::value* model = object->if_contains("model"); model != nullptr && model->is_string())
        found.model = model->get_string();
    found.vectors.resize(data->get_array().size());
    for (const json::value& value : data->get_array()) {
        const json::object* item = value.if_object();
        const json::value* embedding = item != nullptr ? item->if_contains("embedding") : nullptr;
        if (embedding == nullptr) return fail(ErrorCode::corrupt, "the answer has an item without a vector");
        const auto place = place_of(*item, found.vectors);
        if (!place) return fail(ErrorCode::corrupt, "the answer has a vector that belongs to no text");
        Vector vector =
            TRY(embedding->is_string() ? vector_of_base64(embedding->get_string()) : read_vector(*embedding));
        if (vector.empty()) return fail(ErrorCode::corrupt, "the answer has an empty vector");
        found.vectors[*place] = std::move(vector);
    }
    return found;
}

bool is_refused_for_size(int status, std::string_view words) {
    if (status == 413) return true;
    if (status != 400 && status != 422) return false;
    constexpr std::array<std::string_view, 7> signs = {
        "batch size", "context length", "context size", "tokens", "too long", "too large", "too many inputs"};
    const std::string lower = lower_case(words);
    return std::ranges::any_of(signs, [&](std::string_view sign) { return lower.find(sign) != lower.npos; });
}

namespace {

namespace json = boost::json;

constexpr int most_inputs = 2'048;
constexpr int most_tokens = 300'000;
// No tokenizer makes more tokens than bytes, and of ordinary text none comes near half as many.
constexpr std::size_t most_batch_bytes = 2 * most_tokens;

class OpenAiProtocol : public EmbeddingProtocol {
public:
    OpenAiProtocol(OpenAiConfig config, Service service)
        : config_(std::move(config)), service_(std::move(service)) {}

    Service& service() override { return service_; }
    Description before_asking() const override;
    // The protocol has no question for it: what is known is what was configured.
    Result<Description> describe(const Asking&) override { return before_asking(); }
    std::expected<EmbedAnswer, BatchFailure> embed(const std::string& prefix,
                                                   std::span<const std::string> texts,
                                                   const Asking& asking) override;

private:
    std::string embed_request(const std::string& prefix, std::span<const std::string> texts) const;
    BatchFailure failure(int status, std::string_view body) const;

    const OpenAiConfig config_;
    Service service_;
};

Description OpenAiProtocol::before_asking() const {
    return {.model = config_.model,
            .limits = {.max_batch = std::clamp(config_.max_batch, 1, most_inputs),
                       .max_input_tokens = config_.max_input_tokens,
                       .max_batch_tokens = most_tokens,
                       .requests_in_flight = config_.requests_in_flight},
            .max_batch_bytes = most_batch_bytes};
}

std::string OpenAiProtocol::embed_request(const std::string& prefix,
                                          std::span<const std::string> texts) const {
    json::array input;
    input.reserve(texts.size());
    for (const std::string& text : texts) input.emplace_back(prefix + text);
    // Numbers, although base64 is a third of the bytes: not every server that speaks this knows it.
    json::object request{{"model", config_.model}, {"input", std::move(input)}, {"encoding_format", "float"}};
    if (config_.dimensions > 0) request["dimensions"] = config_.dimensions;
    return json::serialize(request);
}

std::expected<EmbedAnswer, BatchFailure> OpenAiProtocol::embed(const std::string& prefix,
                                                               std::span<const std::string> texts,
                                                               const Asking& asking) {
    const auto response = service_.post("/v1/embeddings", embed_request(prefix, texts), asking);
    if (!response) return std::unexpected(BatchFailure{response.error()});
    if (response->status != 200) return std::unexpected(failure(response->status, response->body));
    auto found = parse_openai_vectors(response->body);
    if (!found)
        return std::unexpected(BatchFailure{
            {found.error().code, fmt::format("{}: {}", service_.name(), found.error().message)}});
    return EmbedAnswer{.vectors = std::move(found->vectors), .model = std::move(found->model)};
}

// Too many texts and too long a text are told apart by sending fewer: the wording does not say which it was.
BatchFailure OpenAiProtocol::failure(int status, std::string_view body) const {
    const std::string words = words_of_error(body);
    Error error = service_.error_of(status, words);
    const bool is_too_large = is_refused_for_size(status, words);
    if (is_too_large) error.code = ErrorCode::too_large;
    return {.error = std::move(error), .is_batch_too_large = is_too_large};
}

std::string without_version(std::string url) {
    while (url.ends_with('/')) url.pop_back();
    if (url.ends_with("/v1")) url.resize(url.size() - 3);
    return url;
}

}  // namespace

Result<std::unique_ptr<Embedder>> open_openai_embedder(OpenAiConfig config, net::HttpClient& client) {
    if (config.model.empty())
        return fail(ErrorCode::invalid_argument, "name the model that the embedding server is asked for");
    Service service = TRY(Service::open({.name = config.model,
                                         .url = without_version(config.url),
                                         .key = config.api_key,
                                         .key_setting = config.key_setting,
                                         .timeout = config.timeout,
                                         .connect_timeout = config.connect_timeout,
                                         .waits = three_waits(config.retry_wait),
                                         .breaker = config.breaker,
                                         .time = config.time},
                                        client));
    RemoteEmbedderConfig remote{
        .provider = "openai", .query_prefix = config.query_prefix, .document_prefix = config.document_prefix};
    auto protocol = std::make_unique<OpenAiProtocol>(std::move(config), std::move(service));
    return make_remote_embedder(std::move(remote), std::move(protocol));
}

}  // namespace quarry::embed
