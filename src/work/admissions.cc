#include "work/admissions.h"

namespace quarry::work {

namespace {

// Each may hold a megabyte.
constexpr std::size_t max_crawls = 16;

}  // namespace

crawl::Admission& Admissions::of(const std::shared_ptr<CrawlContext>& of_crawl) {
    CrawlContext& crawl = *of_crawl;
    auto scope = crawl.scope();
    if (const auto known = entries_.find(crawl.id); known != entries_.end()) {
        if (known->second.scope == scope) return *known->second.admission;
        entries_.erase(known);
    }
    std::erase_if(entries_, [](const auto& entry) { return entry.second.crawl.expired(); });
    // Whichever goes can be had again.
    if (entries_.size() >= max_crawls) entries_.erase(entries_.begin());
    Entry& entry = entries_[crawl.id];
    entry.judge = std::make_unique<crawl::LinkJudge>(*scope, crawl::identity_rules(crawl.options));
    entry.admission = std::make_unique<crawl::Admission>(
        *entry.judge, crawl::Admission::Config{
                          .ignore_robots = crawl.options.ignore_robots,
                          .known = [this, id = crawl.id](const UrlKey& key) { return store_.knows(id, key); },
                          .shapes = &crawl.shapes});
    entry.crawl = of_crawl;
    entry.scope = std::move(scope);
    return *entry.admission;
}

}  // namespace quarry::work
