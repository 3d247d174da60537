#include "app/library.h"

#include <filesystem>
#include <stop_token>
#include <thread>

#include <fmt/format.h>

#include "app/embedding_services.h"
#include "base/pause.h"
#include "index/qdrant_index.h"
#include "text/terms.h"

namespace quarry::app {
namespace {

Result<search::SearchTuning> tuning_of(const Settings& settings) {
    search::SearchTuning tuning{.vector_weight =
                                    static_cast<float>(settings.number("search.vector_weight")) / 100};
    const std::string fusion = settings.text("search.fusion");
    if (fusion == "scores") {
        tuning.fusion = search::Fusion::scores;
    } else if (fusion == "ranks") {
        tuning.fusion = search::Fusion::ranks;
    } else if (fusion != "auto") {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("search.fusion is auto, scores or ranks, not \"{}\"", fusion));
    }
    return tuning;
}

// Somebody waits for the answer: a service that tries again and again is not waited for, words alone answer.
constexpr std::chrono::seconds patience{3};

Result<std::vector<float>> ask_in_time(embed::Embedder& service, const std::string& query) {
    std::stop_source late;
    const std::jthread clock([&late](std::stop_token answered) {
        if (pause_for(patience, answered)) late.request_stop();
    });
    auto vector = service.embed_query(query, late.get_token());
    if (!vector && vector.error().code == ErrorCode::interrupted)
        return fail(ErrorCode::unavailable, "the embedding service does not answer");
    return vector;
}

bool uses_qdrant(const Settings& settings) {
    return !settings.text("index.qdrant_url").empty();
}

// Out of the way, but not thrown away: whoever wants to know what happened can look.
Result<void> set_aside(const std::string& path) {
    std::error_code error;
    std::filesystem::rename(path, path + ".damaged", error);
    if (error)
        return fail(ErrorCode::unavailable, fmt::format("cannot rename {}: {}", path, error.message()));
    for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(path + suffix, error);
    return {};
}

}  // namespace

Library::Library(std::unique_ptr<store::Reader> reader) : reader_(std::move(reader)) {}

Result<std::unique_ptr<Library>> Library::open(const Workplace& place, store::Store& store, const Log& log) {
    std::unique_ptr<Library> library(new Library(TRY(open_reader(place))));
    TRY(library->open_services(place.settings));
    if (uses_qdrant(place.settings)) {
        TRY(library->open_qdrant(place.settings));
    } else {
        TRY(library->open_index(place, store, log));
    }
    TRY(library->open_searcher(place.settings));
    return library;
}

Result<std::unique_ptr<Library>> Library::open_to_read(const Workplace& place) {
    std::unique_ptr<Library> library(new Library(TRY(open_reader(place))));
    TRY(library->open_services(place.settings));
    if (uses_qdrant(place.settings)) {
        TRY(library->open_qdrant(place.settings));
    } else {
        library->use(TRY(index::open_embedded_index(
            {.path = place.folder.index(), .access = index::EmbeddedIndexConfig::Access::read})));
    }
    TRY(library->open_searcher(place.settings));
    return library;
}

Result<void> Library::open_services(const Settings& settings) {
    client_ = TRY(net::HttpClient::open(
        {.user_agent = settings.text("fetch.user_agent"), .ca_file = settings.text("fetch.ca_file")}));
    embedders_ = std::make_unique<work::CollectionEmbedders>(TRY(embedding_services(settings, *client_)));
    return {};
}

void Library::use(std::unique_ptr<index::EmbeddedIndex> index) {
    spaces_ = std::make_unique<work::Spaces>(*index);
    index_ = std::move(index);
}

Result<void> Library::open_qdrant(const Settings& settings) {
    index_ = TRY(index::open_qdrant_index(
        {.url = settings.text("index.qdrant_url"), .api_key = settings.text("index.qdrant_key")}, *client_));
    return {};
}

Result<void> Library::open_index(const Workplace& place, store::Store& store, const Log& log) {
    const std::string path = place.folder.index();
    const std::string source = fmt::format("{:016x}", store.salt());
    auto index = index::open_embedded_index({.path = path});
    std::string found = index ? TRY((*index)->source()) : std::string();
    const bool is_damaged = !index && index.error().code == ErrorCode::corrupt;
    const bool is_foreign = index && !found.empty() && found != source;
    if (is_damaged || is_foreign) {
        if (log)
            log(fmt::format("index set aside as {}.damaged: {}. It is made anew from the pages", path,
                            is_damaged ? index.error().message : "it belongs to another data folder"));
        if (index) index->reset();
        TRY(set_aside(path));
        index = index::open_embedded_index({.path = path});
        found.clear();
    }
    if (!index) return std::unexpected(index.error());
    if (found.empty()) {
        // In this order: if it is interrupted in between, it begins again.
        TRY(store.index_again({}));
        TRY((*index)->set_source(source));
    }
    use(*std::move(index));
    return {};
}

Result<void> Library::open_searcher(const Settings& settings) {
    const search::SearchTuning tuning = TRY(tuning_of(settings));
    searcher_ = std::make_unique<search::Searcher>(
        search::SearcherParts{
            .index = *index_,
            .embed = [this](const std::string& collection,
                            const std::string& query) { return embed_query(collection, query); }},
        tuning);
    return {};
}

Result<std::vector<float>> Library::embed_query(const std::string& collection, const std::string& query) {
    const auto recorded = TRY(
        reader_.with([&](std::unique_ptr<store::Reader>& reader) { return reader->embedder(collection); }));
    const auto choice = TRY(embedders_->find(collection, recorded));
    if (choice.service) {
        const search::QueryCache::Key key{.collection = collection, .embedder = choice.facts, .query = query};
        if (auto known = query_vectors_.find(key)) return *std::move(known);
        auto vector = TRY(ask_in_time(*choice.service, query));
        query_vectors_.put(key, vector);
        return vector;
    }
    if (!choice.is_builtin() || !spaces_) return std::vector<float>();
    const work::Spaces::Current current = TRY(spaces_->current(collection));
    if (!current.space) return std::vector<float>();
    thread_local text::TermReader terms;  // it has caches that are worth keeping
    const std::string_view text = query;
    return current.space->fold_in(terms.count({&text, 1}));
}

Result<search::SearchAnswer> Library::search(const search::SearchRequest& request) {
    return searcher_->search(request);
}

work::IndexTools Library::tools() {
    return {.index = index_.get(), .embedders = embedders_.get(), .spaces = spaces_.get()};
}

}  // namespace quarry::app
