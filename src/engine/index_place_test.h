// For tests of indexing: a store and an index in a folder of their own, an imitated TEI, and an engine that
// joins them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/clock.h"
#include "embed/tei.h"
#include "engine/engine.h"
#include "fetch/fetcher.h"
#include "index/embedded/embedded_index.h"
#include "servers/imitation_tei.h"
#include "servers/temporary_folder.h"
#include "store/rows/pages.h"
#include "store/sqlite/store.h"

namespace quarry::work {

class IndexPlace {
public:
    ManualClock clock;
    test::TemporaryFolder folder;
    test::ImitationTei tei;

    static UrlKey key_of(const std::string& url) { return {std::hash<std::string>{}(url), url.size()}; }

    void put(const std::string& url, const std::string& words, int priority = priority_normal) {
        put(std::vector<std::pair<std::string, std::string>>{{url, words}}, priority);
    }
    void put(const std::vector<std::pair<std::string, std::string>>& pages, int priority = priority_normal) {
        store::PageBatch batch{.priority = priority};
        for (const auto& [url, words] : pages) {
            PageWrite write{.key = key_of(url)};
            write.facts = {
                .url = url, .status = 200, .title = "Page", .content_hash = store::content_hash("", words)};
            write.content = store::pack({.markdown = words, .details = "{}"}).value();
            batch.pages.push_back(std::move(write));
        }
        REQUIRE(store->write_pages(std::move(batch)));
    }
    // Many short pages, each with a word of its own.
    void put_many(int count, const std::string& prefix = "p") {
        std::vector<std::pair<std::string, std::string>> pages;
        for (int i = 0; i < count; ++i)
            pages.push_back(
                {fmt::format("https://a.example/{}{}", prefix, i),
                 fmt::format("The quarry gives stone number{} and gravel{} of colour{}.", i, i % 17, i % 5)});
        put(pages);
    }

    // Everything can be found, or waits for a service.
    Result<void> run(std::stop_token stop = {}) { return run({.indexed = RunUntil::Indexed{}}, stop); }
    Result<void> run(const RunUntil& until, std::stop_token stop = {}) {
        CollectionEmbedders embedders(services());
        Spaces spaces(*index, policy);
        EngineConfig config{.name = "test",
                            .open_reader = [this] { return store::open_sqlite_reader(path()); },
                            .cpu_threads = 2};
        config.indexing = {.index = index.get(), .embedders = &embedders, .spaces = &spaces};
        config.indexing.ask_again_every = ask_again_every;
        config.indexing.log = log;
        Engine engine(*store, fetcher, std::move(config));
        return engine.run(until, stop);
    }

    EmbeddingServices services() {
        EmbeddingServices services{.standard = provider};
        if (provider != "tei") return services;
        // Gives up at once: what waits is the queue, not the caller.
        embed::TeiConfig config{.url = tei.url(), .breaker = breaker};
        config.time.wait = [](std::chrono::milliseconds, const std::stop_token&) { return true; };
        services.services["tei"] = embed::open_tei_embedder(std::move(config), *client).value();
        return services;
    }

    // The URLs found by a word, best first.
    std::vector<std::string> found(const std::string& word, const std::string& collection = "default") {
        text::TermReader terms;
        index::KeywordQuery query;
        for (const text::Term& term : terms.read(word))
            query.words.push_back({.term = std::string(term.text)});
        const auto hits = index->match(collection, query, {}, 100).value();
        std::vector<ChunkRef> refs;
        for (const index::Scored& hit : hits) refs.push_back(hit.chunk);
        const auto chunks = index->read(collection, refs).value();
        std::vector<std::string> urls;
        for (const index::FoundChunk& chunk : chunks) urls.push_back(chunk.label.url);
        return urls;
    }
    index::IndexFacts facts() { return index->facts("default").value(); }
    store::OutboxCounts counts() { return reader()->outbox_counts("", {}).value(); }
    std::unique_ptr<store::Reader> reader() const { return store::open_sqlite_reader(path()).value(); }
    std::string path() const { return folder.file("quarry.db"); }

    void reopen_index() {
        index.reset();
        index = index::open_embedded_index({.path = folder.file("index.db")}).value();
    }

    std::string provider = "builtin";
    SpacePolicy policy{};
    embed::BreakerConfig breaker{};
    std::chrono::milliseconds ask_again_every{60'000};
    std::function<void(std::string)> log{};
    std::unique_ptr<net::HttpClient> client = net::HttpClient::open({}).value();
    fetch::Fetcher fetcher{*client, {}};
    std::unique_ptr<store::Store> store = store::open_sqlite_store({.path = path(), .clock = &clock}).value();
    std::unique_ptr<index::EmbeddedIndex> index =
        index::open_embedded_index({.path = folder.file("index.db")}).value();
};

}  // namespace quarry::work
