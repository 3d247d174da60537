// URLs as they were leased, with what earlier crawls stored of them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "db/redis/redis_value.h"
#include "store/store.h"

namespace quarry::store::redis {

class FormerUrls {
public:
    explicit FormerUrls(Store& content) : content_(content) {}

    // Reads the URLs of a lease's answer (lease.lua).
    Result<void> add_urls(db::RedisValue urls, int max_attempts, std::vector<UrlLease>& leased);

private:
    struct OfGroup {
        KeptCrawl crawl{};
        std::vector<std::size_t> places{};  // in `leased`
        std::vector<UrlKey> keys{};
    };
    Result<void> add_former(const OfGroup& group, std::vector<UrlLease>& leased);

    // A crawl of a site without pages need not be asked for again: it meets each page once.
    static constexpr std::size_t remembered_groups = 10'000;

    Store& content_;
    Guarded<std::map<std::int64_t, bool>> has_former_;
};

}  // namespace quarry::store::redis
