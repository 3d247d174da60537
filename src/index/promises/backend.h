// The indexes that keep the promises. Each test gets one of its own, and words for what it puts in and asks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "index/embedded/embedded_index.h"
#include "index/index.h"
#include "index/postgres/shared_index.h"
#include "index/qdrant/qdrant_index.h"
#include "servers/imitation_qdrant.h"
#include "servers/postgres.h"
#include "servers/temporary_folder.h"

namespace quarry::index::promises {

// The terms of a text whose words are folded already, separated by single spaces.
inline text::TermBag terms_of(const std::string& words) {
    text::TermBag bag;
    bag.letters = std::make_shared<const std::string>(words);
    const std::string_view all = *bag.letters;
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t end = std::min(all.find(' ', at), all.size());
        const std::string_view word = all.substr(at, end - at);
        at = end + 1;
        ++bag.length;
        bool is_known = false;
        for (text::TermCount& counted : bag.counts) {
            if (counted.term != word) continue;
            ++counted.count;
            is_known = true;
        }
        if (!is_known) bag.counts.push_back({.term = word, .count = 1});
    }
    return bag;
}

inline IndexedChunk chunk_of(const std::string& words, std::vector<float> vector = {}) {
    IndexedChunk chunk;
    chunk.chunk.text = words;
    chunk.chunk.headings = {"Title"};
    chunk.chunk.end = static_cast<std::uint32_t>(words.size());
    chunk.terms = terms_of(words);
    chunk.vector = std::move(vector);
    return chunk;
}

inline IndexedPage page_of(std::int64_t id, std::vector<IndexedChunk> chunks, std::int64_t version = 1) {
    IndexedPage page;
    page.page = PageId{id};
    page.version = version;
    page.label.path = "/page/" + std::to_string(id);
    page.label.host = "a.example";
    page.label.url = "https://a.example" + page.label.path;
    page.label.id = page.label.url;
    page.label.title = "Page " + std::to_string(id);
    page.label.language = "en";
    page.label.status = 200;
    page.chunks = std::move(chunks);
    return page;
}

// What an index is asked with, in the words of a test.
class Backend {
public:
    std::unique_ptr<Index> index;
    std::string collection = "default";

    void put(IndexedPage page) {
        std::vector<IndexedPage> pages;
        pages.push_back(std::move(page));
        REQUIRE(index->replace(collection, std::move(pages)));
    }
    void put(std::int64_t page, const std::vector<std::string>& texts, std::int64_t version = 1) {
        std::vector<IndexedChunk> chunks;
        for (const std::string& text : texts) chunks.push_back(chunk_of(text));
        put(page_of(page, std::move(chunks), version));
    }
    void remove(std::int64_t page, std::int64_t version) {
        const RemovedPage removed{.page = PageId{page}, .version = version};
        REQUIRE(index->remove(collection, {&removed, 1}));
    }
    void use_service(int dimensions, const std::string& model = "m") {
        REQUIRE(
            index->set_embedder(collection, {.provider = "tei", .model = model, .dimensions = dimensions}));
    }

    // The chunks found for these words, best first.
    std::vector<ChunkRef> match(const std::string& words, const Filter& filter = {}, int limit = 10) {
        KeywordQuery query;
        const text::TermBag bag = terms_of(words);
        for (const text::TermCount& word : bag.counts) {
            query.words.push_back({std::string(word.term), static_cast<float>(word.count)});
        }
        return match(query, filter, limit);
    }
    std::vector<ChunkRef> match(const KeywordQuery& query, const Filter& filter = {}, int limit = 10) {
        return refs(index->match(collection, query, filter, limit).value());
    }
    std::vector<ChunkRef> nearest(const std::vector<float>& vector, const Filter& filter = {},
                                  int limit = 10) {
        return refs(index->nearest(collection, vector, filter, limit).value());
    }
    IndexFacts facts() { return index->facts(collection).value(); }

private:
    static std::vector<ChunkRef> refs(const std::vector<Scored>& scored) {
        std::vector<ChunkRef> found;
        for (const Scored& hit : scored) found.push_back(hit.chunk);
        return found;
    }
};

inline ChunkRef ref(std::int64_t page, int index) {
    return {.page = PageId{page}, .index = index};
}

class OnEmbedded : public Backend {
public:
    OnEmbedded() { open(); }

    // Ends this process's index and begins the next one's.
    void restart() {
        index.reset();
        open();
    }
    EmbeddedIndex& embedded() { return static_cast<EmbeddedIndex&>(*index); }
    std::string path() const { return folder_.file("index.db"); }

private:
    void open() { index = open_embedded_index({.path = path(), .tail_chunks = 64}).value(); }

    test::TemporaryFolder folder_;
};

// An imitation of Qdrant, which must not be asked a single wrong question.
class OnQdrant : public Backend {
public:
    OnQdrant() { open(); }
    ~OnQdrant() { CHECK(qdrant.conduct.wrong_requests() == std::vector<std::string>{}); }

    void restart() { open(); }

    test::ImitationQdrant qdrant;

private:
    void open() { index = open_qdrant_index({.url = qdrant.url()}, *client_).value(); }

    std::unique_ptr<net::HttpClient> client_ = net::HttpClient::open({}).value();
};

// A real PostgreSQL, and a replica that follows it. Where there is none, that is said, and the replica is
// all.
class OnPostgres : public Backend {
public:
    OnPostgres() { open(); }
    ~OnPostgres() {
        index.reset();
        if (server_) server_->drop_database(database_);
    }

    void restart() {
        index.reset();
        replica_.reset();
        open();
    }

private:
    void open() {
        replica_ = open_embedded_index({.path = folder_.file("index.db"), .tail_chunks = 64}).value();
        if (server_) {
            const std::string url = server_->url(database_);
            index = SharedIndex::open({.database = {.url = url}, .replica = replica_.get()}).value();
        } else {
            MESSAGE("skipped: PostgreSQL is not installed");
            index = std::move(replica_);
        }
    }

    test::TemporaryFolder folder_;
    test::Postgres* const server_ = test::Postgres::shared();
    const std::string database_ = server_ ? server_->create_database() : "";
    std::unique_ptr<EmbeddedIndex> replica_;
};

// One test, run on each of them.
#define EVERY_INDEX                                                         \
    quarry::index::promises::OnEmbedded, quarry::index::promises::OnQdrant, \
        quarry::index::promises::OnPostgres
// Those that keep a list of the words there are.
#define INDEXES_WITH_WORD_LISTS quarry::index::promises::OnEmbedded, quarry::index::promises::OnPostgres
// Those that the builtin space can be kept in.
#define INDEXES_WITH_SPACES quarry::index::promises::OnEmbedded

}  // namespace quarry::index::promises
