// Asking the index from any command: the owner of the data answers, or, if there is none, this process reads
// the index itself.
#pragma once

#include <memory>
#include <optional>

#include "app/services/index_access.h"
#include "app/owner/owner_link.h"
#include "app/data_source.h"
#include "base/result.h"
#include "search/searcher.h"

namespace quarry::app {

// Used by one thread at a time. `place` outlives it.
class SearchService {
public:
    explicit SearchService(const Workplace& place) : place_(place) {}

    // Fails as Searcher::search does, and with `not_found` if nothing has been indexed yet.
    Result<search::SearchAnswer> search(const search::SearchRequest& request);

private:
    Result<std::optional<search::SearchAnswer>> ask_owner(const search::SearchRequest& request);

    const Workplace& place_;
    std::unique_ptr<OwnerLink> owner_;
    std::unique_ptr<Library> library_;
};

}  // namespace quarry::app
