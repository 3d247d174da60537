// Rows as searches need them, on connections that only read: each is used by one search at a time, in one
// snapshot, and given back.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "db/sqlite.h"
#include "index/embedded/collection.h"
#include "index/embedded/matching.h"
#include "index/index.h"

namespace quarry::index {

class ReadConnection {
public:
    static Result<std::unique_ptr<ReadConnection>> open(const std::string& path);

    db::Connection& connection() { return connection_; }

    // Adds the term's postings in these segments.
    Result<void> add_postings(const std::vector<Segment>& segments, TermLists& lists);
    // Nothing if there is no such vector. Valid until the next call.
    Result<std::optional<std::string_view>> vector(std::int64_t space, std::int64_t chunk);
    // The id of a chunk, if it is there.
    Result<std::optional<std::int64_t>> id_of(std::int64_t collection, ChunkRef ref);
    // Nothing if it is not there.
    Result<std::optional<FoundChunk>> chunk(std::int64_t collection, ChunkRef ref);

    void reset();  // ends what is being read

private:
    explicit ReadConnection(db::Connection connection) : connection_(std::move(connection)) {}
    Result<void> prepare();

    db::Connection connection_;
    db::Statement leaf_, vector_, page_, passages_;
};

class ReadConnections {
public:
    explicit ReadConnections(std::string path) : path_(std::move(path)) {}

    class Lease {
    public:
        Lease(ReadConnections& from, std::unique_ptr<ReadConnection> connection)
            : from_(&from), connection_(std::move(connection)) {}
        Lease(Lease&&) = default;
        ~Lease() {
            if (connection_) from_->give_back(std::move(connection_));
        }
        ReadConnection* operator->() { return connection_.get(); }
        ReadConnection& operator*() { return *connection_; }

    private:
        ReadConnections* from_;
        std::unique_ptr<ReadConnection> connection_;
    };

    // Its snapshot begins with what is read first.
    Result<Lease> take();

private:
    void give_back(std::unique_ptr<ReadConnection> connection);

    std::string path_;
    Guarded<std::vector<std::unique_ptr<ReadConnection>>> idle_;
};

}  // namespace quarry::index
