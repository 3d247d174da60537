// What is on the wire, for people who watch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "model/model_ids.h"

namespace quarry::work {

// Safe to use from many threads at once.
class UrlsUnderWay {
public:
    void begin(JobId id, const std::string& url);
    void end(JobId id);
    std::vector<std::string> longest(std::size_t limit);

private:
    struct Entry {
        std::string url;
        std::uint64_t order = 0;
    };
    struct State {
        std::unordered_map<JobId, Entry> entries;
        std::uint64_t started = 0;
    };
    Guarded<State> state_;
};

}  // namespace quarry::work
