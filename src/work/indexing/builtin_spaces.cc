#include "work/indexing/builtin_spaces.h"

#include <algorithm>

#include "work/indexing/prepare_page.h"

namespace quarry::work {
namespace {

constexpr int batch_chunks = 1'000;

}  // namespace

Result<Spaces::Current> Spaces::current(const std::string& collection) {
    const index::IndexFacts facts = TRY(index_.facts(collection));
    if (facts.space == 0) {
        // A collection that was dropped and made anew, or that another embedder had meanwhile, has none.
        entries_.with([&](auto& entries) { entries.erase(collection); });
        return Current{};
    }
    const int known = entries_.with([&](auto& entries) { return entries[collection].current.version; });
    auto stored = TRY(index_.space(collection, known));
    if (stored) {
        auto space = std::make_shared<const embed::Space>(TRY(embed::Space::parse(stored->bytes)));
        entries_.with([&](auto& entries) {
            entries[collection] = {.current = {stored->version, std::move(space)},
                                   .fitted_on = stored->fitted_on};
        });
    }
    return entries_.with([&](auto& entries) { return entries[collection].current; });
}

Spaces::Current Spaces::next(const std::string& collection) {
    return next_.with([&](auto& spaces) {
        const auto found = spaces.find(collection);
        return found == spaces.end() ? Current{} : found->second;
    });
}

Result<bool> Spaces::is_due(const std::string& collection, Pressure pressure) {
    const index::IndexFacts facts = TRY(index_.facts(collection));
    if (facts.embedder.provider != "builtin" || facts.chunks < policy_.min_chunks) return false;
    const Current in_use = TRY(current(collection));
    if (in_use.version == 0) return pressure == Pressure::idle || facts.chunks >= 4 * policy_.min_chunks;
    const std::int64_t fitted_on =
        entries_.with([&](auto& entries) { return entries[collection].fitted_on; });
    if (fitted_on >= policy_.enough_chunks) return false;
    return pressure == Pressure::idle ? facts.chunks >= fitted_on + fitted_on / 4
                                      : facts.chunks >= fitted_on * 4;
}

Result<embed::Space> Spaces::fit(const std::string& collection, std::int64_t chunks, std::stop_token stop) {
    embed::SpaceOptions options{.dimensions = policy_.dimensions};
    const auto sample = static_cast<std::int64_t>(options.max_chunks);
    const int stride = static_cast<int>(std::max<std::int64_t>(1, chunks / sample));
    embed::SpaceFit fit(options);
    text::TermReader terms;
    for (std::int64_t after = 0; !stop.stop_requested();) {
        const auto batch = TRY(index_.chunks_after(collection, after, batch_chunks, stride));
        if (batch.empty()) break;
        for (const auto& text : batch) fit.add(terms_of(text.chunk, terms));
        after = batch.back().id;
    }
    return fit.finish(stop);
}

Result<void> Spaces::fold_in_rest(const std::string& collection, const Current& next, std::stop_token stop) {
    text::TermReader terms;
    std::vector<index::EmbeddedIndex::ChunkVector> vectors;
    for (std::int64_t after = 0;;) {
        if (stop.stop_requested()) return fail(ErrorCode::interrupted, "asked to stop");
        const auto batch = TRY(index_.chunks_without(collection, next.version, after, batch_chunks));
        if (batch.empty()) return {};
        vectors.clear();
        for (const auto& text : batch)
            vectors.push_back({.id = text.id, .vector = next.space->fold_in(terms_of(text.chunk, terms))});
        TRY(index_.add_vectors(collection, next.version, vectors));
        after = batch.back().id;
    }
}

Result<void> Spaces::fill(const std::string& collection, const Current& next, std::stop_token stop) {
    TRY(fold_in_rest(collection, next, stop));
    // Nothing is written meanwhile: what came since is folded in, and the space is complete when it is put to
    // use.
    const std::unique_lock lock(use_);
    TRY(fold_in_rest(collection, next, stop));
    return index_.use_space(collection, next.version);
}

Result<void> Spaces::renew(const std::string& collection, std::stop_token stop) {
    const index::IndexFacts facts = TRY(index_.facts(collection));
    const auto space = std::make_shared<const embed::Space>(TRY(fit(collection, facts.chunks, stop)));
    // It may have been removed meanwhile, and is not made again.
    if (TRY(index_.facts(collection)).chunks == 0) return {};
    const Current next{.version = TRY(index_.begin_space(collection, facts.chunks, space->serialise())),
                       .space = space};
    next_.with([&](auto& spaces) { spaces[collection] = next; });
    auto filled = fill(collection, next, stop);
    next_.with([&](auto& spaces) { spaces.erase(collection); });
    return filled;
}

}  // namespace quarry::work
