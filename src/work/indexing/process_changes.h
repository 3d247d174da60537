// Pages of the embedding queue that somebody wants embedded now: `queue process` and its route.
#pragma once

#include <stop_token>
#include <string>

#include "store/change_batch.h"
#include "work/indexing/collection_embedders.h"

namespace quarry::work {

struct ProcessWish {
    std::string collection{};  // "" for all
    std::string owner{};       // whose pages; "" for all
    std::string provider{};    // "" for the one that each collection has
    int batch = 10;            // pages
};

// Chooses them and has them due at once, whenever each would have been tried again. Collections that have no
// embedder yet are begun with the provider that is asked for.
// Fails with `invalid_argument` for a provider that there is not, `conflict` if a collection has another one,
// and `unavailable`, or as CollectionEmbedders::ensure, if none of them can be embedded now.
Result<store::ChangeBatch> begin_processing(store::Store& store, store::Reader& reader,
                                            CollectionEmbedders& embedders, const ProcessWish& wish,
                                            const std::stop_token& stop);

}  // namespace quarry::work
