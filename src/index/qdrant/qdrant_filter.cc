#include "index/qdrant/qdrant_filter.h"

#include <utility>

#include <boost/json.hpp>

#include "index/qdrant/qdrant_words.h"

namespace quarry::index {

namespace {

namespace json = boost::json;

json::object has_value(std::string_view key, json::value value) {
    return {{"key", key}, {"match", json::object{{"value", std::move(value)}}}};
}

json::object fetched_between(const Filter& filter) {
    json::object range;
    if (filter.since) range["gte"] = filter.since->time_since_epoch().count();
    if (filter.until) range["lte"] = filter.until->time_since_epoch().count();
    return {{"key", "fetched_at"}, {"range", std::move(range)}};
}

json::array conditions(const Filter& filter) {
    json::array must;
    if (!filter.host.empty()) must.push_back(has_value("hosts", json::value(filter.host)));
    if (!filter.path_prefix.empty())
        must.push_back(has_value("path_prefixes", json::value(filter.path_prefix)));
    if (!filter.language.empty()) must.push_back(has_value("language", json::value(filter.language)));
    if (filter.since || filter.until) must.push_back(fetched_between(filter));
    return must;
}

}  // namespace

json::object to_qdrant(const Filter& filter) {
    return {{"must", conditions(filter)}};
}

json::object to_qdrant(const Filter& filter, const KeywordQuery& query) {
    json::array must = conditions(filter), must_not;
    for (const std::string& term : query.required) must.push_back(has_value("words", word_number(term)));
    for (const std::string& term : query.excluded) must_not.push_back(has_value("words", word_number(term)));
    return {{"must", std::move(must)}, {"must_not", std::move(must_not)}};
}

json::object uncounted_chunks(std::span<const QdrantPage> pages) {
    json::array any;
    for (const QdrantPage& page : pages) {
        const json::object is_counted{
            {"must", json::array{has_value("generation", page.generation),
                                 json::object{{"key", "chunk_index"},
                                              {"range", json::object{{"lt", page.chunks}}}}}}};
        any.push_back(json::object{
            {"must", json::array{has_value("page", number(page.page)), has_value("kind", "chunk")}},
            {"must_not", json::array{is_counted}}});
    }
    return {{"should", std::move(any)}};
}

}  // namespace quarry::index
