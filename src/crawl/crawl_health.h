// Whether a crawl is worth going on with.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/group.h"

namespace quarry::crawl {

// A crawl in which over half of at least 20 pages failed should stop: the site is down, refuses us, or wants
// a login, and a thousand more failures help nobody. Pages that are gone (404, 410) say nothing about that
// and are left out. Used by one thread at a time.
class CrawlHealth {
public:
    CrawlHealth() = default;

    // Goes on with the counts of a crawl that is resumed; its reasons are not known any more.
    explicit CrawlHealth(const GroupCounters& counters);

    void page_completed() { ++completed_; }

    // `status` is the HTTP status, 0 if nothing answered; `error` the sentence that the page failed with.
    void page_failed(int status, std::string_view error);

    // The sentence to stop with, or nothing if all is well enough.
    std::optional<std::string> reason_to_stop() const;

private:
    std::int64_t completed_ = 0, failed_ = 0;
    std::map<std::string, std::int64_t, std::less<>>
        reasons_;  // a few: the others are counted as "other reasons"
};

}  // namespace quarry::crawl
