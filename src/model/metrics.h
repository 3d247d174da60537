// What metrics are made of. Timings say where the time of a page went, stage by stage. An operation is what
// the index did for one page. A session is one request of a person, with what came of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "model/ids.h"

namespace quarry {

// Where the time of a page went, stage by stage. Of many pages: the sums.

struct Timings {
    std::chrono::microseconds fetch{}, extract{}, chunk{}, embed{};
    std::chrono::microseconds index{};  // of the index in all
    std::chrono::microseconds words{};  // the part of that in which terms were counted, for finding by words
    std::int64_t chunks = 0;
    std::string note{};  // what else is worth knowing of one page: "cut at 50 MB"; else ""

    std::chrono::microseconds total() const { return fetch + extract + chunk + embed + index; }
    bool is_empty() const { return total() == std::chrono::microseconds{} && chunks == 0; }
    friend bool operator==(const Timings&, const Timings&) = default;
};

// What the index did for a page, stage by stage: what operation metrics are made of. It outlives the
// embedding queue, whose rows go a day after they ended.

struct Operation {
    std::int64_t id = 0;  // given by the store
    Timestamp at{};
    JobId job{};  // in the embedding queue
    Timestamp job_created_at{};
    std::optional<GroupId> group{};  // the crawl that brought the page
    std::optional<Timestamp> group_created_at{};
    std::string collection{}, url{};
    std::string request_id{};  // of the request that began the crawl
    std::string error{};       // why the page was given up; "" if it was not
    Timings timings{};
};

// All of one day in one collection, once they are too old to be kept one by one.
struct OperationDay {
    Timestamp day{};  // its first moment, in UTC
    std::string collection{};
    std::int64_t pages = 0, failed = 0;
    Timings timings{};
};

// One operation that somebody asked for, with what came of it and where its time went: what metrics are made
// of.

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
