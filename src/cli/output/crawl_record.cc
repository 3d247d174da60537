#include "cli/output/crawl_record.h"

#include <boost/json.hpp>

#include "model/json/output.h"
#include "store/index_progress.h"

namespace quarry::cli {

namespace json = boost::json;

json::object crawl_record(const Group& group, store::Reader& reader) {
    json::object record = to_json(group, reader.salt());
    json::array urls;
    std::int64_t position = 0;
    if (!group.is_over()) {
        for (const std::string& url : reader.current_urls(group.id, 10).value_or(std::vector<std::string>{}))
            urls.push_back(json::value(url));
        position = reader.position(group.id).value_or(0);
    }
    record["current_url"] = urls.empty() ? json::value(nullptr) : urls.front();
    record["current_urls"] = std::move(urls);
    record["queue_position"] = position > 0 ? json::value(position) : json::value(nullptr);
    store::add_index_progress(record, group, reader);
    return record;
}

}  // namespace quarry::cli
