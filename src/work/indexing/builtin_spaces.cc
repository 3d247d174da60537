#include "work/indexing/builtin_spaces.h"

#include <algorithm>
#include <utility>

#include "base/threads.h"
#include "work/indexing/prepared_page.h"

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

SpaceKeeper::SpaceKeeper(Parts parts, const std::vector<std::string>& collections)
    : parts_(std::move(parts)),
      written_(collections.begin(), collections.end()),
      is_settled_(collections.empty()),
      thread_([this](std::stop_token stop) { run(stop); }) {}

void SpaceKeeper::written(const std::string& collection) {
    const std::lock_guard lock(mutex_);
    written_.insert(collection);
    is_settled_ = false;
}

void SpaceKeeper::look_again() {
    const std::lock_guard lock(mutex_);
    ++rounds_;
    changed_.notify_all();
}

bool SpaceKeeper::is_settled() const {
    const std::lock_guard lock(mutex_);
    return is_settled_;
}

// Looks at a collection again each time something was written, and for the last time when nothing is left to
// write.
void SpaceKeeper::run(std::stop_token stop) {
    name_this_thread("space fitter");
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [&] { return rounds_ != seen && !is_settled_; })) {
        seen = rounds_;
        // What is marked after this question belongs to a later round.
        const bool is_quiet = parts_.is_quiet();
        const std::set<std::string> collections = is_quiet ? std::exchange(written_, {}) : written_;
        lock.unlock();
        for (const std::string& collection : collections)
            renew_if_due(collection, is_quiet ? Spaces::Pressure::idle : Spaces::Pressure::busy, stop);
        if (is_quiet) report(parts_.spaces.settle());
        lock.lock();
        is_settled_ = written_.empty();
        parts_.looked();
    }
}

void SpaceKeeper::renew_if_due(const std::string& collection, Spaces::Pressure pressure,
                               std::stop_token stop) {
    const auto is_due = parts_.spaces.is_due(collection, pressure);
    if (is_due && *is_due) return report(parts_.spaces.renew(collection, stop));
    if (!is_due) report(std::unexpected(is_due.error()));
}

// A collection too poor in words to span a space is found by its words. A disk that is full is not to be
// passed over.
void SpaceKeeper::report(const Result<void>& result) {
    if (result) return;
    const ErrorCode code = result.error().code;
    if (code == ErrorCode::unavailable || code == ErrorCode::corrupt) parts_.failed(result.error());
}

}  // namespace quarry::work
