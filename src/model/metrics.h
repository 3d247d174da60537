// One operation that somebody asked for, with what came of it and where its time went: what metrics are made
// of.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/base_clock.h"
#include "model/model_ids.h"

namespace quarry {

// What sessions count. Of one, or summed over the sessions of a day.
struct SessionCounts {
    std::int64_t total_urls = 0, completed_urls = 0, failed_urls = 0;
    std::int64_t pages_indexed = 0, pages_failed = 0, chunks = 0;
    std::chrono::milliseconds fetch{}, extract{};
    std::chrono::milliseconds chunking{}, embedding{};
    std::chrono::milliseconds index{};  // of the index in all, or of Qdrant
    std::chrono::milliseconds bm25{};   // the words' part of it, where it is apart
    std::chrono::milliseconds duration{};

    void add(const SessionCounts& more) {
        total_urls += more.total_urls;
        completed_urls += more.completed_urls;
        failed_urls += more.failed_urls;
        pages_indexed += more.pages_indexed;
        pages_failed += more.pages_failed;
        chunks += more.chunks;
        fetch += more.fetch;
        extract += more.extract;
        chunking += more.chunking;
        embedding += more.embedding;
        index += more.index;
        bm25 += more.bm25;
        duration += more.duration;
    }
    friend bool operator==(const SessionCounts&, const SessionCounts&) = default;
};

struct Session {
    std::int64_t id = 0;             // given by the store
    std::optional<GroupId> group{};  // of a crawl
    std::optional<JobId> job{};
    std::string operation{};  // "scrape", "crawl", "map", "search", "import" …
    std::string base_url{};   // or what was asked for
    std::string owner = "local";
    Timestamp started_at{};
    std::optional<Timestamp> completed_at{};
    bool success = false;
    bool auto_index = true;  // its pages were meant to be indexed
    SessionCounts counts{};
    std::string extra{};  // JSON
    std::string error{};
};

// All sessions of one operation on one day, once they are too old to be kept one by one.
struct SessionDay {
    Timestamp day{};  // its first moment, in UTC
    std::string operation{};
    std::int64_t sessions = 0, successes = 0;
    SessionCounts counts{};
};

}  // namespace quarry
