// Vectors of queries asked lately: the next page of an answer, and the same question again, ask no service.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "model/collection.h"

namespace quarry::search {

// Keeps the `capacity` vectors used last. Safe from any thread.
class QueryCache {
public:
    explicit QueryCache(std::size_t capacity = 1'024) : capacity_(capacity) {}

    struct Key {
        std::string collection{};
        EmbedderFacts
            embedder{};  // with the version of a builtin space: its vectors are others after a refit
        std::string query{};
    };

    std::optional<std::vector<float>> find(const Key& key);
    void put(const Key& key, std::vector<float> vector);

private:
    using Entry = std::pair<std::string, std::vector<float>>;
    struct Entries {
        std::list<Entry> by_use{};  // the last used first
        std::unordered_map<std::string_view, std::list<Entry>::iterator> by_name{};
    };

    std::size_t capacity_;
    Guarded<Entries> entries_;
};

}  // namespace quarry::search
