#include "app/services/index_report.h"

#include <map>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/owner/client.h"
#include "app/services/index_access.h"
#include "index/embedded/embedded_index.h"
#include "index/postgres/shared_index.h"
#include "model/json/output.h"

namespace quarry::app {

namespace {

namespace json = boost::json;
using FactsByName = std::map<std::string, index::IndexFacts>;

index::IndexFacts parse_facts(const json::object& object) {
    const auto integer = [&](std::string_view name) {
        const json::value* value = object.if_contains(name);
        return value && value->is_int64() ? value->get_int64() : 0;
    };
    index::IndexFacts facts{.pages = integer("pages"),
                            .chunks = integer("chunks"),
                            .vectors = integer("vectors"),
                            .space = static_cast<int>(integer("space"))};
    facts.embedder.dimensions = static_cast<int>(integer("dimensions"));
    return facts;
}

FactsByName parse_all(const json::value& answer) {
    FactsByName all;
    const json::object* object = answer.if_object();
    if (!object) return all;
    for (const auto& [name, facts] : *object)
        if (facts.is_object()) all[std::string(name)] = parse_facts(facts.get_object());
    return all;
}

// Of a shared store nobody needs a replica to count what is there. Vectors of builtin spaces are in replicas
// alone.
FactsByName read_shared_facts(const DataSource& place) {
    const auto index = index::SharedIndex::open({.database = postgres_config(place)});
    if (!index) return {};
    const auto answer = index_facts(**index);
    return answer ? parse_all(*answer) : FactsByName();
}

// Of the owner, which has the index open; without one, of the file. An index that cannot be read has nothing
// to say here: `doctor` says why.
FactsByName read_facts(const DataSource& place) {
    if (const auto owner = connect_to_owner(place)) {
        const auto answer = (*owner)->call("index_facts");
        return answer ? parse_all(*answer) : FactsByName();
    }
    if (place.store.is_shared() && place.settings.text("index.qdrant_url").empty())
        return read_shared_facts(place);
    const auto index = index::open_embedded_index(
        {.path = place.folder.index(), .access = index::EmbeddedIndexConfig::Access::read});
    if (!index) return {};
    const auto answer = index_facts(**index);
    return answer ? parse_all(*answer) : FactsByName();
}

int dimensions_of(const CollectionReport& report) {
    const int indexed = report.indexed.embedder.dimensions;
    return indexed > 0 ? indexed : report.collection.embedder.dimensions;
}

json::value text_or_null(const std::string& text) {
    return text.empty() ? json::value(nullptr) : json::value(text);
}

}  // namespace

Result<std::vector<CollectionReport>> report_collections(const DataSource& place) {
    std::vector<CollectionReport> reports;
    const auto reader = open_reader(place);
    if (!reader && reader.error().code == ErrorCode::not_found) return reports;
    if (!reader) return std::unexpected(reader.error());
    FactsByName facts = read_facts(place);
    for (Collection& collection : TRY((*reader)->collections())) {
        CollectionReport report{.indexed = facts[collection.name],
                                .outbox = TRY((*reader)->outbox_counts(collection.name, std::nullopt))};
        report.collection = std::move(collection);
        reports.push_back(std::move(report));
    }
    return reports;
}

Result<CollectionReport> report_collection(const DataSource& place, const std::string& name) {
    for (CollectionReport& report : TRY(report_collections(place)))
        if (report.collection.name == name) return std::move(report);
    return fail(ErrorCode::not_found,
                fmt::format("There is no collection \"{}\". See quarry collections list", name));
}

json::object to_json(const CollectionReport& report) {
    const Collection& collection = report.collection;
    return {
        {"name", collection.name},
        {"pages", collection.pages},
        {"chunks", report.indexed.chunks},
        {"vectors", report.indexed.vectors},
        {"embedder", text_or_null(collection.embedder.provider)},
        {"model", text_or_null(collection.embedder.model)},
        {"dimensions", dimensions_of(report)},
        {"waiting", report.outbox.pending + report.outbox.processing},
        {"failed", report.outbox.failed},
        {"last_error", text_or_null(report.outbox.last_error)},
        {"created_at", collection.created_at == Timestamp() ? json::value(nullptr)
                                                            : json::value(iso_time(collection.created_at))}};
}

Result<json::value> index_facts(index::Index& index) {
    json::object all;
    for (const std::string& name : TRY(index.collections())) {
        const index::IndexFacts facts = TRY(index.facts(name));
        all[name] = json::object{{"pages", facts.pages},
                                 {"chunks", facts.chunks},
                                 {"vectors", facts.vectors},
                                 {"dimensions", facts.embedder.dimensions},
                                 {"space", facts.space}};
    }
    return all;
}

namespace {

namespace json = boost::json;
using index::WithVectors;

class LocalChunks : public ChunkSource {
public:
    explicit LocalChunks(std::unique_ptr<Library> library) : library_(std::move(library)) {}

protected:
    Result<json::array> read(const StoredPage& page, int first, int count,
                             WithVectors with_vectors) override {
        std::vector<ChunkRef> wanted;
        for (int i = 0; i < count; ++i) wanted.push_back({page.id, first + i});
        return index::chunk_records(library_->index(), page.collection, wanted, with_vectors);
    }

private:
    const std::unique_ptr<Library> library_;
};

class RemoteChunks : public ChunkSource {
public:
    explicit RemoteChunks(std::shared_ptr<RemoteApi> api) : api_(std::move(api)) {}

protected:
    Result<json::array> read(const StoredPage& page, int first, int count,
                             WithVectors with_vectors) override {
        json::value answer = TRY(api_->get(fmt::format(
            "/api/v1/collections/{}/chunks?document={}&after={}&limit={}&vectors={}",
            escaped(page.collection), number(page.id), first, count, with_vectors == WithVectors::yes)));
        json::object* object = answer.if_object();
        json::value* chunks = object ? object->if_contains("chunks") : nullptr;
        if (!chunks || !chunks->is_array())
            return fail(ErrorCode::corrupt, "the server's answer has no list of chunks");
        return std::move(chunks->get_array());
    }

private:
    const std::shared_ptr<RemoteApi> api_;
};

}  // namespace

Result<json::array> ChunkSource::chunks_of(const StoredPage& page, WithVectors with_vectors) {
    constexpr int batch = 64;
    json::array all;
    while (true) {
        json::array some = TRY(read(page, static_cast<int>(all.size()), batch, with_vectors));
        const bool is_last = some.size() < batch;
        for (json::value& chunk : some) all.push_back(std::move(chunk));
        if (is_last) return all;
    }
}

Result<std::unique_ptr<ChunkSource>> open_chunks(const DataSource& place) {
    if (place.remote) return std::make_unique<RemoteChunks>(place.remote);
    return std::make_unique<LocalChunks>(TRY(Library::open_to_read(place)));
}

}  // namespace quarry::app
