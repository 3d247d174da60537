#include "app/services/models.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "embed/openai.h"
#include "embed/tei.h"

namespace quarry::app {

Result<std::unique_ptr<chat::Model>> open_model(const Settings& settings, net::HttpClient& client) {
    chat::ModelConfig config{.key = settings.text("model.key"),
                             .name = settings.text("model.name"),
                             .timeout = settings.duration("model.timeout"),
                             .page_bytes = static_cast<std::size_t>(settings.bytes("model.page_size"))};
    if (config.name.empty()) return nullptr;
    const std::string url = settings.text("model.url");
    if (url.empty() && config.key.empty())
        return fail(ErrorCode::invalid_argument,
                    "model.name is set, but not where the model is: set model.url, for instance "
                    "http://127.0.0.1:11434");
    if (config.page_bytes < 1'000)
        return fail(ErrorCode::invalid_argument, "model.page_size is at least 1KB");
    if (!url.empty()) config.url = url;
    return chat::Model::open(std::move(config), client);
}

Result<std::shared_ptr<chat::Model>> shared_model(const Settings& settings) {
    const std::shared_ptr<net::HttpClient> client = TRY(net::HttpClient::open(
        {.user_agent = settings.text("fetch.user_agent"), .ca_file = settings.text("fetch.ca_file")}));
    std::unique_ptr<chat::Model> model = TRY(open_model(settings, *client));
    if (!model) return nullptr;
    return std::shared_ptr<chat::Model>(model.release(), [client](chat::Model* owned) { delete owned; });
}

namespace {

constexpr std::array<std::string_view, 4> providers = {"builtin", "tei", "openai", "none"};

Result<std::unique_ptr<embed::Embedder>> open_tei(const Settings& settings, net::HttpClient& client) {
    return embed::open_tei_embedder(
        {.url = settings.text("embedding.tei_url"),
         .api_key = settings.text("embedding.tei_key"),
         .query_prefix = settings.text("embedding.query_prefix"),
         .document_prefix = settings.text("embedding.document_prefix"),
         .timeout = settings.duration("embedding.timeout"),
         .retry_wait = settings.duration("embedding.retry_wait"),
         .requests_in_flight = static_cast<int>(settings.number("embedding.requests"))},
        client);
}

Result<std::unique_ptr<embed::Embedder>> open_openai(const Settings& settings, net::HttpClient& client) {
    return embed::open_openai_embedder(
        {.url = settings.text("embedding.openai_url"),
         .api_key = settings.text("embedding.openai_key"),
         .model = settings.text("embedding.openai_model"),
         .dimensions = static_cast<int>(settings.number("embedding.dimensions")),
         .query_prefix = settings.text("embedding.query_prefix"),
         .document_prefix = settings.text("embedding.document_prefix"),
         .timeout = settings.duration("embedding.timeout"),
         .retry_wait = settings.duration("embedding.retry_wait"),
         .requests_in_flight = static_cast<int>(settings.number("embedding.requests"))},
        client);
}

std::string standard_of(const work::EmbeddingServices& services) {
    for (const std::string_view provider : {"tei", "openai"})
        if (services.services.contains(std::string(provider))) return std::string(provider);
    return "builtin";
}

}  // namespace

Result<work::EmbeddingServices> embedding_services(const Settings& settings, net::HttpClient& client) {
    work::EmbeddingServices services;
    if (!settings.text("embedding.tei_url").empty())
        services.services["tei"] = TRY(open_tei(settings, client));
    if (!settings.text("embedding.openai_url").empty())
        services.services["openai"] = TRY(open_openai(settings, client));
    const std::string wanted = settings.text("embedding.provider");
    services.standard = wanted == "auto" ? standard_of(services) : wanted;
    if (std::ranges::find(providers, services.standard) == providers.end())
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("embedding.provider is auto, builtin, tei, openai or none, not \"{}\"", wanted));
    return services;
}

}  // namespace quarry::app
