// The index of several machines: Qdrant. Chunks are points with a dense vector and a sparse one of their
// words; docs/decisions/0012 tells how a page is replaced so that no reader sees half of it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/index.h"
#include "net/http_client.h"

namespace quarry::index {

struct QdrantConfig {
    std::string url{};      // QDRANT_URL: "http://127.0.0.1:6333"
    std::string api_key{};  // sent in the header api-key; never shown
    std::string key_setting = "index.qdrant_key";
    std::string prefix = "quarry-";  // of the collections' names in Qdrant

    std::chrono::milliseconds timeout{30'000};         // of one try
    std::chrono::milliseconds connect_timeout{5'000};  // of one try
    std::vector<std::chrono::milliseconds> waits{std::chrono::seconds(1), std::chrono::seconds(2),
                                                 std::chrono::seconds(4)};  // before each further try
    std::chrono::milliseconds longest_wait{60'000};  // a Retry-After over this fails the call
    // Of points in one request. Qdrant takes 32 MB, but over 1 MB curl first asks whether it may send.
    std::size_t max_request_bytes = 1'000'000;

    // Replaced in tests, so that nothing there sleeps.
    std::function<void(std::chrono::milliseconds)> wait{};
    std::function<Timestamp()> now{};
};

// Asks nothing yet: a service that is down does not keep the program from starting. `invalid_argument` if the
// URL is none. The client must outlive the index. Pages of a collection must be written by one process at a
// time; any number may read. Words are known by 32 bits of their hash: two of a hundred thousand words may be
// taken for each other. similar_words() finds none.
Result<std::unique_ptr<Index>> open_qdrant_index(QdrantConfig config, net::HttpClient& client);

}  // namespace quarry::index
