#include "app/services/chunk_source.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/services/index_access.h"

namespace quarry::app {
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

Result<std::unique_ptr<ChunkSource>> open_chunks(const Workplace& place) {
    if (place.remote) return std::make_unique<RemoteChunks>(place.remote);
    return std::make_unique<LocalChunks>(TRY(Library::open_to_read(place)));
}

}  // namespace quarry::app
