#include "work/indexing/collection_embedders.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace quarry::work {
namespace {

// Large enough for its gain in quality, small enough for its memory: docs/decisions/0010.
constexpr int builtin_dimensions = 192;

bool needs_service(const std::string& provider) {
    return provider != "builtin" && provider != "none";
}

std::string described(const EmbedderFacts& facts) {
    return fmt::format("{} ({}, {} dimensions)", facts.model.empty() ? "a model" : facts.model,
                       facts.provider, facts.dimensions);
}

// A collection may be told who is to embed it before anything is: then its facts have no dimensions yet.
bool is_begun(const EmbedderFacts& recorded) {
    return recorded.dimensions > 0 || recorded.provider == "none";
}

std::string setting_of(const std::string& provider) {
    return provider == "tei" ? "TEI_URL" : "embedding.openai_url";
}

}  // namespace

Result<CollectionEmbedders::Choice> CollectionEmbedders::ensure(const std::string& collection,
                                                                store::Store& store, store::Reader& reader,
                                                                index::Index& index) {
    const EmbedderFacts recorded = TRY(reader.embedder(collection));
    const std::string& wanted = recorded.provider.empty() ? services_.standard : recorded.provider;
    Choice choice =
        is_begun(recorded) ? TRY(confirm(collection, recorded)) : TRY(begin(collection, wanted, store));
    // Somebody else may just have dropped the vectors, and ours would not be counted as what they are.
    if (index.is_shared()) {
        TRY(index.set_embedder(collection, choice.facts));
        return choice;
    }
    const bool is_ensured = ensured_.with([&](auto& names) { return names.contains(collection); });
    if (is_ensured) return choice;
    const index::IndexFacts facts = TRY(index.facts(collection));
    if (!(facts.embedder == choice.facts)) TRY(index.set_embedder(collection, choice.facts));
    ensured_.with([&](auto& names) { names.insert(collection); });
    return choice;
}

Result<CollectionEmbedders::Choice> CollectionEmbedders::find(const std::string& collection,
                                                              const EmbedderFacts& recorded) {
    if (!is_begun(recorded)) return Choice{.facts = {.provider = "none"}};
    return confirm(collection, recorded);
}

Result<void> CollectionEmbedders::try_out(const std::string& collection, store::Reader& reader,
                                          const std::stop_token& stop) {
    const EmbedderFacts recorded = TRY(reader.embedder(collection));
    const std::string& provider = recorded.provider.empty() ? services_.standard : recorded.provider;
    if (!needs_service(provider)) return {};
    const auto asked = TRY(service(collection, provider));
    asked->ask_at_once();
    TRY(asked->try_out(stop));
    if (is_begun(recorded)) TRY(confirm(collection, recorded));
    return {};
}

Result<void> CollectionEmbedders::check_provider(const std::string& provider) const {
    constexpr std::array<std::string_view, 4> providers = {"builtin", "tei", "openai", "none"};
    if (std::ranges::find(providers, provider) == providers.end())
        return fail(ErrorCode::invalid_argument,
                    fmt::format("there is no provider \"{}\": it is builtin, tei, openai or none", provider));
    if (!needs_service(provider) || services_.services.contains(provider)) return {};
    return fail(ErrorCode::unavailable,
                fmt::format("the provider {} is not configured: set {}", provider, setting_of(provider)));
}

void CollectionEmbedders::ask_at_once() {
    for (const auto& [provider, service] : services_.services) service->ask_at_once();
}

void CollectionEmbedders::forget_all() {
    ensured_.with([](auto& names) { names.clear(); });
}

Result<CollectionEmbedders::Choice> CollectionEmbedders::begin(const std::string& collection,
                                                               const std::string& provider,
                                                               store::Store& store) {
    Choice choice{.facts = {.provider = provider}};
    if (needs_service(provider)) {
        choice.service = TRY(service(collection, provider));
        choice.facts = TRY(choice.service->facts());
    } else if (choice.is_builtin()) {
        choice.facts.dimensions = builtin_dimensions;
    }
    TRY(store.set_collection({.name = collection, .embedder = choice.facts, .created_at = store.now()}));
    return choice;
}

Result<CollectionEmbedders::Choice> CollectionEmbedders::confirm(const std::string& collection,
                                                                 const EmbedderFacts& recorded) {
    Choice choice{.facts = recorded};
    if (!needs_service(recorded.provider)) return choice;
    choice.service = TRY(service(collection, recorded.provider));
    const EmbedderFacts now = TRY(choice.service->facts());
    if (now == recorded) return choice;
    return fail(
        ErrorCode::conflict,
        fmt::format("the collection \"{0}\" was embedded with {1}, but the service now has {2}. To embed it "
                    "anew: quarry reindex --collection {0}",
                    collection, described(recorded), described(now)));
}

Result<std::shared_ptr<embed::Embedder>> CollectionEmbedders::service(const std::string& collection,
                                                                      const std::string& provider) const {
    const auto found = services_.services.find(provider);
    if (found != services_.services.end()) return found->second;
    return fail(
        ErrorCode::unavailable,
        fmt::format(
            "the collection \"{0}\" is embedded by {1}, which is not configured. Set {2}, or embed it "
            "anew without: quarry reindex --collection {0} --embedder builtin",
            collection, provider, setting_of(provider)));
}

}  // namespace quarry::work
