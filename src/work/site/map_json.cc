#include <boost/json.hpp>

#include "work/site/map_site.h"

namespace quarry::work {

boost::json::object to_json(const SiteMap& map) {
    boost::json::array links;
    for (const FoundPage& page : map.links) {
        boost::json::object link{{"url", page.url}};
        if (!page.title.empty()) link["title"] = page.title;
        links.push_back(std::move(link));
    }
    boost::json::object object{{"url", map.url}, {"success", map.success()}};
    object["links"] = std::move(links);
    object["internal_count"] = map.internal_count;
    object["external_count"] = map.external_count;
    object["depth_reached"] = map.depth_reached;
    if (!map.warning.empty()) object["warning"] = map.warning;
    object["error"] = map.error ? boost::json::value(map.error->message) : boost::json::value(nullptr);
    return object;
}

}  // namespace quarry::work
