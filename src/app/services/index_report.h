// Collections with all that is known about them, from the store and from the index.
#pragma once

#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

#include "app/data_source.h"
#include "base/result.h"
#include "index/index.h"
#include "model/model_collection.h"
#include "store/reader.h"

namespace quarry::app {

struct CollectionReport {
    Collection collection{};
    index::IndexFacts indexed{};  // zeros if nothing is
    store::OutboxCounts outbox{};
};

// By name. None if there is no database yet.
Result<std::vector<CollectionReport>> report_collections(const Workplace& place);
// `not_found` with a sentence.
Result<CollectionReport> report_collection(const Workplace& place, const std::string& name);

// name, pages, chunks, vectors, embedder, model, dimensions, waiting, failed, last_error, created_at
boost::json::object to_json(const CollectionReport& report);

// What the owner's method `index_facts` answers: facts by the collection's name; and the way back.
Result<boost::json::value> index_facts(index::Index& index);

}  // namespace quarry::app
