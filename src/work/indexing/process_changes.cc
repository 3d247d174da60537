#include "work/indexing/process_changes.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace quarry::work {
namespace {

Result<std::set<std::string>> waiting_collections(store::Reader& reader, const ProcessWish& wish) {
    std::set<std::string> names;
    for (const store::StateCount& count : TRY(reader.job_counts({.kind = "embed_page",
                                                                 .states = {JobState::queued},
                                                                 .owner = wish.owner,
                                                                 .collection = wish.collection})))
        names.insert(count.collection);
    return names;
}

Result<void> choose_provider(store::Store& store, store::Reader& reader, const std::string& collection,
                             const std::string& provider) {
    const EmbedderFacts recorded = TRY(reader.embedder(collection));
    if (recorded.provider == provider) return {};
    if (!recorded.provider.empty())
        return fail(ErrorCode::conflict,
                    fmt::format("the collection \"{0}\" is embedded by {1}, and vectors of two embedders do "
                                "not mix. Leave the provider out, or embed all of it anew: quarry reindex "
                                "--collection {0} --embedder {2}",
                                collection, recorded.provider, provider));
    return store.set_collection(
        {.name = collection, .embedder = {.provider = provider}, .created_at = store.now()});
}

// Errors of other codes say themselves what to do.
Error with_way_out(Error error, const std::string& collection) {
    if (error.code == ErrorCode::unavailable && error.message.find("quarry reindex") == std::string::npos)
        error.message += fmt::format(
            ". Start it and do this again, or embed without it: quarry reindex --collection {} --embedder "
            "builtin",
            collection);
    return error;
}

// One that works is enough: what waits for the others fails by itself, and is counted.
Result<void> check_usable(store::Reader& reader, CollectionEmbedders& embedders,
                          const std::set<std::string>& collections, const std::stop_token& stop) {
    std::optional<Error> error;
    for (const std::string& collection : collections) {
        auto tried = embedders.try_out(collection, reader, stop);
        if (tried) return {};
        error = with_way_out(std::move(tried.error()), collection);
    }
    if (error) return std::unexpected(*std::move(error));
    return {};
}

}  // namespace

Result<store::ChangeBatch> begin_processing(store::Store& store, store::Reader& reader,
                                            CollectionEmbedders& embedders, const ProcessWish& wish,
                                            const std::stop_token& stop) {
    if (!wish.provider.empty()) TRY(embedders.check_provider(wish.provider));
    const std::set<std::string> collections = TRY(waiting_collections(reader, wish));
    if (!wish.provider.empty()) {
        for (const std::string& collection : collections)
            TRY(choose_provider(store, reader, collection, wish.provider));
        embedders.forget_all();
    }
    TRY(check_usable(reader, embedders, collections, stop));
    store::ChangeBatch batch{.ids = TRY(next_changes(reader, wish.collection, wish.owner, wish.batch)),
                             .asked_at = store.now()};
    if (!batch.ids.empty()) TRY(store.hasten({.ids = batch.ids}));
    return batch;
}

}  // namespace quarry::work
