#include "index/qdrant/qdrant_pages.h"

#include <algorithm>

#include <boost/json.hpp>

#include "index/qdrant/qdrant_answer.h"
#include "index/qdrant/qdrant_point_id.h"

namespace quarry::index {

namespace json = boost::json;

Result<QdrantPages> read_pages(const QdrantService& service, const std::string& points_path,
                               const std::string& collection, std::span<const PageId> pages) {
    constexpr std::size_t most_at_once = 1'000;
    QdrantPages found;
    while (!pages.empty()) {
        const auto some = pages.first(std::min(pages.size(), most_at_once));
        pages = pages.subspan(some.size());
        json::array ids;
        for (const PageId page : some) ids.emplace_back(page_point(collection, page));
        const json::value result =
            TRY(service.post(points_path, {{"ids", std::move(ids)}, {"with_payload", true}}));
        for (const QdrantPoint& record : TRY(read_records(result))) {
            const QdrantPage page = TRY(read_page(record.payload));
            found[page.page] = page;
        }
    }
    return found;
}

}  // namespace quarry::index
