#include "app/services/embedding_services.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "embed/openai.h"
#include "embed/tei.h"

namespace quarry::app {
namespace {

constexpr std::array<std::string_view, 4> providers = {"builtin", "tei", "openai", "none"};

Result<std::unique_ptr<embed::Embedder>> open_tei(const Settings& settings, net::HttpClient& client) {
    return embed::open_tei_embedder(
        {.url = settings.text("embedding.tei_url"),
         .api_key = settings.text("embedding.tei_key"),
         .query_prefix = settings.text("embedding.query_prefix"),
         .document_prefix = settings.text("embedding.document_prefix"),
         .timeout = settings.duration("embedding.timeout"),
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
