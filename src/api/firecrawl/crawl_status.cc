#include "api/firecrawl/crawl_status.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "api/firecrawl/firecrawl_document.h"
#include "api/firecrawl/states.h"
#include "crawl/options/options.h"
#include "model/json/output.h"

namespace quarry::api {
namespace {

namespace json = boost::json;

// Of documents in one answer; a larger one comes alone.
constexpr std::size_t most_bytes = 10u << 20;
// Documents are read some at a time, so that a huge one does not come with a hundred others.
constexpr int read_at_once = 20;

struct Documents {
    json::array list{};
    bool has_more = false;
};

std::size_t size_of(const StoredPage& page) {
    return page.content
               ? page.content->markdown.size() + page.content->html.size() + page.content->details.size()
               : 0;
}

Result<Documents> read_documents(store::Reader& reader, const Group& group, const StatusPage& wanted,
                                 const Formats& formats) {
    Documents documents;
    std::size_t bytes = 0;
    std::int64_t after = 0;
    std::int64_t skip = wanted.skip;
    while (true) {
        const auto taken = static_cast<int>(documents.list.size());
        // One more than is wanted tells whether there is one.
        const int limit = std::min(read_at_once, wanted.limit - taken + 1);
        const auto pages = TRY(reader.pages(
            {.group = group.id, .after = after, .skip = skip, .limit = limit, .with_content = true}));
        skip = 0;
        for (const StoredPage& page : pages.pages) {
            bytes += size_of(page);
            const bool is_full =
                std::ssize(documents.list) >= wanted.limit || (bytes > most_bytes && !documents.list.empty());
            if (is_full) {
                documents.has_more = true;
                return documents;
            }
            documents.list.push_back(firecrawl_document(page, formats, {.origin = wanted.origin}));
        }
        if (!pages.next) return documents;
        after = *pages.next;
    }
}

}  // namespace

Result<json::object> crawl_status(store::Reader& reader, const Group& group, const StatusPage& page,
                                  std::string_view self) {
    const crawl::CrawlOptions options = TRY(crawl::options_of(group));
    Documents documents = TRY(read_documents(reader, group, page, options.formats));
    const GroupCounters& counters = group.counters;
    json::object status{{"success", true},
                        {"status", firecrawl_state(group.state)},
                        {"completed", counters.completed},
                        {"total", counters.completed + counters.running + counters.queued},
                        {"creditsUsed", counters.completed},
                        {"createdAt", iso_time(group.created_at)},
                        {"expiresAt", iso_time(page.expires_at)}};
    if (group.finished_at) {
        status["completedAt"] = iso_time(*group.finished_at);
        status["duration"] = static_cast<double>((*group.finished_at - group.created_at).count()) / 1'000;
    }
    if (!group.error.empty()) status[group.state == JobState::failed ? "error" : "warning"] = group.error;
    status["next"] = nullptr;
    if (documents.has_more)
        status["next"] =
            fmt::format("{}?skip={}{}", self, page.skip + std::ssize(documents.list),
                        page.limit != StatusPage{}.limit ? fmt::format("&limit={}", page.limit) : "");
    status["data"] = std::move(documents.list);
    return status;
}

}  // namespace quarry::api
