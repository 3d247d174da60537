// A small collection in a real index, for tests of searching.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "index/embedded/embedded_index.h"
#include "search/searcher.h"
#include "servers/temporary_folder.h"

namespace quarry::search {

struct TestChunk {
    std::string text{};
    std::vector<float> vector{};
    std::string heading{};
};

class TestLibrary {
public:
    TestLibrary() : index(index::open_embedded_index({.path = folder_.file("index.db")}).value()) {}

    // Pages are numbered in the order in which they come, from 1 on.
    void put(const std::string& url, const std::string& title, const std::vector<TestChunk>& chunks) {
        index::IndexedPage page{.page = PageId{++pages_}, .version = 1};
        const std::size_t host = url.find("//") + 2, path = url.find('/', host);
        page.label = {.id = url,
                      .url = url,
                      .host = url.substr(host, path - host),
                      .path = url.substr(path),
                      .title = title,
                      .language = "en",
                      .status = 200};
        for (const TestChunk& chunk : chunks) page.chunks.push_back(indexed(title, chunk));
        std::vector<index::IndexedPage> one;
        one.push_back(std::move(page));
        REQUIRE(index->replace("default", std::move(one)));
    }

    SearchAnswer search(const SearchRequest& request, SearchTuning tuning = {}) {
        auto answer = Searcher({.index = *index, .embed = embed, .rerank = rerank}, tuning).search(request);
        REQUIRE(answer);
        return *std::move(answer);
    }
    // The titles of the hits, best first.
    std::vector<std::string> titles(const SearchRequest& request) {
        std::vector<std::string> result;
        for (const Hit& hit : search(request).hits) result.push_back(hit.label.title);
        return result;
    }

private:
    index::IndexedChunk indexed(const std::string& title, const TestChunk& chunk) {
        index::IndexedChunk made;
        made.chunk = {.text = chunk.text, .headings = {title}};
        if (!chunk.heading.empty()) made.chunk.headings.push_back(chunk.heading);
        std::vector<std::string_view> texts(made.chunk.headings.begin(), made.chunk.headings.end());
        texts.push_back(chunk.text);
        made.terms = reader_.count(texts);
        made.vector = chunk.vector;
        return made;
    }

    test::TemporaryFolder folder_;
    text::TermReader reader_;
    std::int64_t pages_ = 0;

public:
    std::unique_ptr<index::EmbeddedIndex> index;
    QueryEmbedder embed{};
    Reranker rerank{};
};

}  // namespace quarry::search
