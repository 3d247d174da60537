#include "work/admissions.h"

namespace quarry::work {

namespace {

// Each may hold a megabyte.
constexpr std::size_t max_crawls = 16;

}  // namespace

crawl::Admission& Admissions::of(CrawlContext& crawl) {
    auto scope = crawl.scope();
    if (const auto known = entries_.find(crawl.id); known != entries_.end()) {
        if (known->second.scope == scope) return *known->second.admission;
        entries_.erase(known);
    }
    // Whichever goes can be had again.
    if (entries_.size() >= max_crawls) entries_.erase(entries_.begin());
    Entry& entry = entries_[crawl.id];
    entry.judge = std::make_unique<crawl::LinkJudge>(*scope, crawl::identity_rules(crawl.options));
    entry.admission = std::make_unique<crawl::Admission>(
        *entry.judge, crawl::Admission::Config{
                          .ignore_robots = crawl.options.ignore_robots,
                          .known = [this, id = crawl.id](const UrlKey& key) { return store_.knows(id, key); },
                          .shapes = &crawl.shapes});
    entry.scope = std::move(scope);
    return *entry.admission;
}

}  // namespace quarry::work
