#include "api/monitoring.h"

#include "api/api.h"

namespace quarry::api {

std::optional<Error> trouble_of_store(Api& api, store::Reader& reader) {
    if (api.services().store_trouble)
        if (auto trouble = api.services().store_trouble()) return trouble;
    const auto workers = reader.workers();
    if (!workers) return workers.error();
    return std::nullopt;
}

}  // namespace quarry::api
