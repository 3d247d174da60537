// Which embedder each collection has: the one it was begun with. Another model is never mixed in silently; it
// is a clear error with the way out.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>

#include "base/guarded.h"
#include "base/result.h"
#include "embed/embedder.h"
#include "index/index.h"
#include "model/collection.h"
#include "store/reader.h"
#include "store/store.h"

namespace quarry::work {

struct EmbeddingServices {
    std::string standard = "builtin";  // for collections that have none yet: a provider's name
    // By provider, those that are configured. Shared: a run of the engine and searches use them at once.
    std::map<std::string, std::shared_ptr<embed::Embedder>> services{};
};

class CollectionEmbedders {
public:
    struct Choice {
        EmbedderFacts facts{};
        std::shared_ptr<embed::Embedder> service{};  // none: the builtin space, or words alone
        bool is_builtin() const { return facts.provider == "builtin"; }
    };

    explicit CollectionEmbedders(EmbeddingServices services) : services_(std::move(services)) {}

    // For a collection that may have none: the one it was told, else the standard one, is then recorded, in
    // the store and in the index.
    // Fails with `conflict` if the service has another model than the one recorded, `unavailable` if it is
    // not configured, and as Embedder::facts does.
    Result<Choice> ensure(const std::string& collection, store::Store& store, store::Reader& reader,
                          index::Index& index);

    // For a search in a collection as it is recorded. One without an embedder has a choice of provider
    // "none".
    Result<Choice> find(const std::string& collection, const EmbedderFacts& recorded);

    // Whether the collection can be embedded now: its service is asked at once, with a single try. Fails as
    // ensure() does.
    Result<void> try_out(const std::string& collection, store::Reader& reader, const std::stop_token& stop);

    // `invalid_argument` for a provider that there is not, `unavailable` for one that is not configured.
    Result<void> check_provider(const std::string& provider) const;

    // Somebody says that the services are there: none is left alone for a while because it was not.
    void ask_at_once();

    // What collections have may have changed: looks anew.
    void forget_all();

private:
    Result<Choice> begin(const std::string& collection, const std::string& provider, store::Store& store);
    Result<Choice> confirm(const std::string& collection, const EmbedderFacts& recorded);
    Result<std::shared_ptr<embed::Embedder>> service(const std::string& collection,
                                                     const std::string& provider) const;

    EmbeddingServices services_;
    Guarded<std::set<std::string>> ensured_;  // collections whose index is known to agree
};

}  // namespace quarry::work
