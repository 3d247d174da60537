// Everything that finding is made of, for one data folder: the index, who embeds, and who answers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/workplace.h"
#include "base/guarded.h"
#include "base/result.h"
#include "embed/rerank.h"
#include "index/embedded_index.h"
#include "net/http_client.h"
#include "search/query_cache.h"
#include "search/searcher.h"
#include "store/reader.h"
#include "store/store.h"
#include "work/collection_embedders.h"
#include "work/indexer.h"
#include "work/spaces.h"

namespace quarry::app {

class Library {
public:
    using Log = std::function<void(std::string_view)>;

    // For the process that owns the folder. An index that is new, damaged or another folder's is made anew:
    // every page goes into the outbox again, and the log says why.
    static Result<std::unique_ptr<Library>> open(const Workplace& place, store::Store& store, const Log& log);

    // For anybody, while nobody owns the folder. `not_found` if nothing has been indexed yet.
    static Result<std::unique_ptr<Library>> open_to_read(const Workplace& place);

    // Any thread.
    Result<search::SearchAnswer> search(const search::SearchRequest& request);

    work::IndexTools tools();
    index::Index& index() { return *index_; }
    work::CollectionEmbedders& embedders() { return *embedders_; }

private:
    explicit Library(std::unique_ptr<store::Reader> reader);
    Result<void> open_services(const Settings& settings);
    Result<void> open_index(const Workplace& place, store::Store& store, const Log& log);
    Result<void> open_qdrant(const Settings& settings);
    Result<void> open_searcher(const Settings& settings);
    void use(std::unique_ptr<index::EmbeddedIndex> index);
    Result<std::vector<float>> embed_query(const std::string& collection, const std::string& query);

    Guarded<std::unique_ptr<store::Reader>> reader_;
    std::unique_ptr<net::HttpClient> client_;
    std::unique_ptr<work::CollectionEmbedders> embedders_;
    std::unique_ptr<index::Index> index_;
    std::unique_ptr<work::Spaces> spaces_;       // none with Qdrant
    std::unique_ptr<embed::Reranker> reranker_;  // if one is configured
    search::QueryCache query_vectors_;
    std::unique_ptr<search::Searcher> searcher_;
};

}  // namespace quarry::app
