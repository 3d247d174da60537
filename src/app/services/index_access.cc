#include "app/services/index_access.h"

#include <algorithm>
#include <filesystem>
#include <stop_token>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "app/owner/client.h"
#include "app/services/models.h"
#include "base/threads.h"
#include "index/qdrant/qdrant_index.h"
#include "search/json.h"
#include "text/terms/terms.h"

namespace quarry::app {

Result<void> set_aside(const std::string& path) {
    std::error_code error;
    std::filesystem::rename(path, path + ".damaged", error);
    if (error)
        return fail(ErrorCode::unavailable, fmt::format("cannot rename {}: {}", path, error.message()));
    for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(path + suffix, error);
    return {};
}

namespace {

Result<std::unique_ptr<index::EmbeddedIndex>> open_replica(const FollowedIndexConfig& config) {
    auto replica = index::open_embedded_index({.path = config.replica});
    if (replica || replica.error().code != ErrorCode::corrupt) return replica;
    if (config.log)
        config.log(fmt::format("index: index set aside as {}.damaged: {}. It is read again from PostgreSQL",
                               config.replica, replica.error().message));
    TRY(set_aside(config.replica));
    return index::open_embedded_index({.path = config.replica});
}

}  // namespace

Result<std::unique_ptr<FollowedIndex>> FollowedIndex::open(const FollowedIndexConfig& config) {
    std::unique_ptr<FollowedIndex> opened(new FollowedIndex());
    index::SharedIndexConfig shared{.database = config.database};
    if (!config.replica.empty()) {
        opened->replica_ = TRY(open_replica(config));
        opened->spaces_ = std::make_unique<work::Spaces>(*opened->replica_);
        shared.replica = opened->replica_.get();
        shared.prepare = work::fold_into(*opened->spaces_);
        if (config.follows) shared.freshness = index::Freshness::followed;
    }
    opened->index_ = TRY(index::SharedIndex::open(shared));
    if (config.replica.empty() || !config.follows) return opened;
    opened->follower_ = TRY(work::IndexFollower::open({.follower = *opened->index_->follower(),
                                                       .spaces = *opened->spaces_,
                                                       .replica = *opened->replica_,
                                                       .database = config.database,
                                                       .log = config.log}));
    return opened;
}

Result<void> FollowedIndex::begin(store::Store& store) {
    const std::uint64_t source = TRY(index_->log().source());
    if (source == store.salt()) return {};
    // In this order: if it is interrupted in between, it begins again.
    TRY(store.index_again({}));
    return index_->log().set_source(store.salt());
}

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
constexpr std::chrono::seconds answer_patience{3};

Result<std::vector<float>> ask_in_time(embed::Embedder& service, const std::string& query) {
    std::stop_source late;
    const std::jthread clock([&late](std::stop_token answered) {
        if (pause_for(answer_patience, answered)) late.request_stop();
    });
    auto vector = service.embed_query(query, late.get_token());
    if (!vector && vector.error().code == ErrorCode::interrupted)
        return fail(ErrorCode::unavailable, "the embedding service does not answer");
    return vector;
}

bool uses_qdrant(const Settings& settings) {
    return !settings.text("index.qdrant_url").empty();
}

// The database that jobs and pages are in, if that is PostgreSQL: then the index is there, too.
std::optional<db::PgConfig> shared_database(const DataSource& place) {
    return place.store.is_shared() ? std::optional(postgres_config(place)) : std::nullopt;
}

}  // namespace

Library::Library(std::unique_ptr<store::Reader> reader) : reader_(std::move(reader)) {}

Result<std::unique_ptr<Library>> Library::open(const DataSource& place, store::Store& store, const Log& log) {
    std::unique_ptr<Library> library(new Library(TRY(open_reader(place))));
    TRY(library->open_services(place.settings));
    const auto database = shared_database(place);
    if (uses_qdrant(place.settings)) {
        TRY(library->open_qdrant(place.settings));
    } else if (database) {
        const std::string replica = place.answers_searches ? place.folder.index() : "";
        TRY(library->open_followed({.database = *database, .replica = replica, .log = log}));
        TRY(library->followed_->begin(store));
    } else {
        TRY(library->open_index(place, store, log));
    }
    TRY(library->open_searcher(place.settings));
    return library;
}

Result<std::unique_ptr<Library>> Library::open_to_read(const DataSource& place) {
    std::unique_ptr<Library> library(new Library(TRY(open_reader(place))));
    TRY(library->open_services(place.settings));
    const auto database = shared_database(place);
    if (uses_qdrant(place.settings)) {
        TRY(library->open_qdrant(place.settings));
    } else if (database) {
        TRY(library->follow_for_reading(place, *database));
    } else {
        TRY(library->read_file(place));
    }
    TRY(library->open_searcher(place.settings));
    return library;
}

Result<void> Library::open_services(const Settings& settings) {
    client_ = TRY(net::HttpClient::open(
        {.user_agent = settings.text("fetch.user_agent"), .ca_file = settings.text("fetch.ca_file")}));
    embedders_ = std::make_unique<work::CollectionEmbedders>(TRY(embedding_services(settings, *client_)));
    backoff_ = {.base = settings.duration("embedding.backoff"),
                .longest = settings.duration("embedding.longest_backoff")};
    return {};
}

void Library::use(std::unique_ptr<index::EmbeddedIndex> index) {
    embedded_ = std::move(index);
    spaces_ = std::make_unique<work::Spaces>(*embedded_);
    index_ = embedded_.get();
}

Result<void> Library::read_file(const DataSource& place) {
    use(TRY(index::open_embedded_index(
        {.path = place.folder.index(), .access = index::EmbeddedIndexConfig::Access::read})));
    return {};
}

Result<void> Library::open_followed(FollowedIndexConfig config) {
    followed_ = TRY(FollowedIndex::open(config));
    index_ = &followed_->index();
    return {};
}

// If somebody else brings the replica up to date, it is read as it is.
Result<void> Library::follow_for_reading(const DataSource& place, const db::PgConfig& database) {
    auto lock = FolderLock::take(place.folder, place.version);
    if (!lock && lock.error().code == ErrorCode::conflict) return read_file(place);
    if (!lock) return std::unexpected(lock.error());
    lock_ = *std::move(lock);
    return open_followed({.database = database, .replica = place.folder.index(), .follows = false});
}

Result<void> Library::open_qdrant(const Settings& settings) {
    qdrant_ = TRY(index::open_qdrant_index(
        {.url = settings.text("index.qdrant_url"), .api_key = settings.text("index.qdrant_key")}, *client_));
    index_ = qdrant_.get();
    return {};
}

Result<void> Library::open_index(const DataSource& place, store::Store& store, const Log& log) {
    const std::string path = place.folder.index();
    const std::string source = fmt::format("{:016x}", store.salt());
    auto index = index::open_embedded_index({.path = path});
    std::string found = index ? TRY((*index)->source()) : std::string();
    const bool is_damaged = !index && index.error().code == ErrorCode::corrupt;
    const bool is_foreign = index && !found.empty() && found != source;
    if (is_damaged || is_foreign) {
        if (log)
            log(fmt::format("index: index set aside as {}.damaged: {}. It is made anew from the pages", path,
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

// A replica knows it without a question to PostgreSQL, which may be away.
Result<EmbedderFacts> Library::embedder_of(const std::string& collection) {
    if (followed_) return TRY(followed_->index().facts(collection)).embedder;
    return reader_.with([&](std::unique_ptr<store::Reader>& reader) { return reader->embedder(collection); });
}

work::Spaces* Library::spaces() {
    return followed_ ? followed_->spaces() : spaces_.get();
}

Result<std::vector<float>> Library::embed_query(const std::string& collection, const std::string& query) {
    const auto recorded = TRY(embedder_of(collection));
    const auto choice = TRY(embedders_->find(collection, recorded));
    if (choice.service) {
        const search::QueryCache::Key key{.collection = collection, .embedder = choice.facts, .query = query};
        if (auto known = query_vectors_.find(key)) return *std::move(known);
        auto vector = TRY(ask_in_time(*choice.service, query));
        query_vectors_.put(key, vector);
        return vector;
    }
    if (!choice.is_builtin() || !spaces()) return std::vector<float>();
    const work::Spaces::Current current = TRY(spaces()->current(collection));
    if (!current.space) return std::vector<float>();
    thread_local text::TermReader terms;  // it has caches that are worth keeping
    const std::string_view text = query;
    return current.space->fold_in(terms.count({&text, 1}));
}

Result<search::SearchAnswer> Library::search(const search::SearchRequest& request) {
    const auto kept = hold();
    if (!searcher_)
        return fail(ErrorCode::unavailable, "the search index cannot be opened: see quarry doctor");
    auto answer = searcher_->search(request);
    if (answer || answer.error().code != ErrorCode::corrupt || !embedded_ || !damaged_) return answer;
    damaged_(answer.error());
    return fail(ErrorCode::unavailable, answer.error().message + ". It is made anew: try again soon");
}

Result<void> Library::renew(const DataSource& place, store::Store& store, const Error& damage,
                            const Log& log) {
    const std::unique_lock lock(use_);
    const std::string path = place.folder.index();
    if (log)
        log(fmt::format("index: index set aside as {}.damaged: {}. It is made anew from the pages", path,
                        damage.message));
    searcher_.reset();
    spaces_.reset();
    index_ = nullptr;
    embedded_.reset();
    embedders_->forget_all();
    TRY(set_aside(path));
    TRY(open_index(place, store, log));
    return open_searcher(place.settings);
}

work::IndexTools Library::tools() {
    return {.index = index_,
            .embedders = embedders_.get(),
            .spaces = spaces_.get(),
            .follower = followed_ ? followed_->follower() : nullptr,
            .damaged = embedded_ ? damaged_ : nullptr,
            .backoff = backoff_};
}

Result<search::SearchAnswer> SearchService::search(const search::SearchRequest& request) {
    if (!library_) {
        auto answer = TRY(ask_owner(request));
        if (answer) return *std::move(answer);
        library_ = TRY(Library::open_to_read(place_));
    }
    return library_->search(request);
}

// Nothing if there is no owner, or it has just left.
Result<std::optional<search::SearchAnswer>> SearchService::ask_owner(const search::SearchRequest& request) {
    if (!owner_) {
        auto connected = connect_to_owner(place_);
        if (!connected) return std::nullopt;
        owner_ = *std::move(connected);
    }
    const auto answer = owner_->call("search", search::to_json(request));
    if (answer) return TRY(search::parse_answer(*answer));
    // An owner of before this method does not know it; its index can be read beside it.
    const bool can_be_read_here =
        !place_.remote && (!owner_->was_heard() || answer.error().code == ErrorCode::unsupported);
    owner_.reset();
    if (can_be_read_here) return std::nullopt;
    return std::unexpected(answer.error());
}

}  // namespace quarry::app
