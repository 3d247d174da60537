#include "work/jobs/add_urls.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "crawl/options/options.h"
#include "url/url.h"
#include "work/jobs/crawl_jobs.h"

namespace quarry::work {

namespace json = boost::json;

Result<void> add_urls(store::Store& store, GroupId batch, const std::vector<std::string>& urls) {
    json::array list;
    for (const std::string& text : urls) {
        const auto url = url::Url::parse(text);
        if (url && !(url->username().empty() && url->password().empty()))
            return fail(
                ErrorCode::invalid_argument,
                fmt::format("{} was given with a user name: a batch takes them with its first pages only, "
                            "or as an Authorization header",
                            url->without_credentials()));
        list.emplace_back(text);
    }
    std::vector<NewJob> jobs{{.kind = std::string(admit_urls_kind),
                              .payload = json::serialize(list),
                              .priority = priority_high,
                              .group = batch}};
    TRY(store.add(std::move(jobs)));
    return {};
}

Result<store::Outcome> admit_urls(const store::JobLease& job, const JobTools& tools) {
    if (!job.group) return fail(ErrorCode::invalid_argument, "there is no batch to add to");
    const Group batch = TRY(tools.reader.group(*job.group));
    crawl::CrawlOptions options = TRY(crawl::options_of(batch));
    json::error_code error;
    const json::value list = json::parse(job.payload, error);
    if (error || !list.is_array()) return fail(ErrorCode::corrupt, "the list of pages is damaged");
    options.urls.clear();
    for (const json::value& url : list.get_array())
        if (url.is_string()) options.urls.emplace_back(url.get_string());
    return store::Outcome{.end = store::Completed{}, .found = start_urls(options)};
}

}  // namespace quarry::work
