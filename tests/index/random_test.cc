// The embedded index against one that is too simple to be wrong: the same random changes to both, the same
// questions to both, through flushes, merges, spaces and restarts. A seed that fails is replayed by its
// number.
#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "effort.h"
#include "index/consistency.h"
#include "index/embedded/embedded_index.h"
#include "index/promises/backend.h"
#include "index/reference.h"
#include "servers/temporary_folder.h"

namespace quarry::test {

namespace {

using index::EmbeddedIndex;
using index::IndexedPage;

template <typename T>
T must(Result<T> result) {
    if (!result) FAIL(result.error().message);
    return *std::move(result);
}

class RandomRun {
public:
    explicit RandomRun(unsigned seed) : random_(seed) {
        open();
        REQUIRE(index_->set_embedder("c", {.provider = "builtin"}));
    }

    void step() {
        switch (below(24)) {
            case 0: return reopen();
            case 1: return settle();
            case 2: return renew_space();
            case 3: return remove();
            case 4: return remove_collection();
            case 5: return read_all();
            case 6:
            case 7: return ask_vectors();
            default: break;
        }
        below(2) == 0 ? replace() : ask_words();
    }

    void finish() {
        settle();
        ask_words();
        ask_vectors();
        reopen();
        ask_words();
        ask_vectors();
        read_all();
        index_.reset();
        check_file(Tidiness::settled);
    }

private:
    std::string path() const { return folder_.file("index.db"); }
    int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
    std::string word() { return fmt::format("w{}", std::min(below(40), below(40))); }
    std::string host() { return below(2) == 0 ? "a.example" : "b.example"; }

    void open() { index_ = index::open_embedded_index({.path = path(), .tail_chunks = 24}).value(); }
    void reopen() {
        index_.reset();
        open();
        check_file(Tidiness::any);
        check_facts();
    }
    void settle() {
        REQUIRE(index_->settle());
        check_file(Tidiness::settled);
    }

    IndexedPage random_page() {
        std::vector<index::IndexedChunk> chunks;
        for (int count = below(6); count > 0; --count) {
            std::string text = fmt::format("unique{}", ++unique_);
            for (int words = below(12); words > 0; --words) text += " " + word();
            chunks.push_back(index::promises::chunk_of(text));
            if (space_ != 0 && below(5) > 0) chunks.back().vector = vector_;
        }
        IndexedPage page = index::promises::page_of(below(60), std::move(chunks), version_ - below(3));
        page.label.host = host();
        return page;
    }

    void replace() {
        version_ += 2;
        std::vector<IndexedPage> pages;
        for (int count = 1 + below(5); count > 0; --count) pages.push_back(random_page());
        reference_.replace(pages);
        REQUIRE(index_->replace("c", std::move(pages)));
        check_facts();
    }
    void remove() {
        version_ += 2;
        const index::RemovedPage page{.page = PageId{below(60)}, .version = version_ - below(4)};
        reference_.remove(page);
        REQUIRE(index_->remove("c", {&page, 1}));
        check_facts();
    }
    void remove_collection() {
        if (below(6) > 0) return;
        reference_.clear();
        space_ = 0;
        REQUIRE(index_->remove_collection("c"));
        REQUIRE(index_->set_embedder("c", {.provider = "builtin"}));
        check_facts();
    }

    void renew_space() {
        space_ = must(index_->begin_space("c", 1, "bytes"));
        vector_ = {static_cast<float>(space_ % 7) + 1, static_cast<float>(space_ % 5), 1};
        while (true) {
            const auto chunks = must(index_->chunks_without("c", space_, 0, 13));
            if (chunks.empty()) break;
            std::vector<EmbeddedIndex::ChunkVector> vectors;
            for (const auto& chunk : chunks) vectors.push_back({.id = chunk.id, .vector = vector_});
            REQUIRE(index_->add_vectors("c", space_, vectors));
        }
        REQUIRE(index_->use_space("c", space_));
        reference_.set_vectors(vector_);
        check_facts();
    }

    void ask_words() {
        index::KeywordQuery query;
        for (int words = below(4); words >= 0; --words) query.words.push_back({word(), 1});
        if (below(4) == 0) query.required.push_back(word());
        if (below(4) == 0) query.excluded.push_back(word());
        index::Filter filter;
        if (below(4) == 0) filter.host = host();

        std::set<ChunkRef> found;
        const auto hits = must(index_->match("c", query, filter, 10'000));
        for (const index::Scored& hit : hits) {
            CHECK(found.insert(hit.chunk).second);
        }

        CHECK(found == reference_.match(query, filter));
    }
    void ask_vectors() {
        if (space_ == 0) return;
        index::Filter filter;
        if (below(2) == 0) filter.host = host();

        std::set<ChunkRef> found;
        const auto hits = must(index_->nearest("c", vector_, filter, 1'000));
        for (const index::Scored& hit : hits) {
            CHECK(hit.score > 0.99F);
            CHECK(found.insert(hit.chunk).second);
        }

        CHECK(found == reference_.with_vector(filter));
    }
    void read_all() {
        std::set<std::string> texts;
        for (std::int64_t after = 0;;) {
            const auto chunks = must(index_->chunks_after("c", after, 9, 1));
            if (chunks.empty()) break;
            for (const auto& chunk : chunks) CHECK(texts.insert(chunk.chunk.text).second);
            after = chunks.back().id;
        }
        CHECK(texts == reference_.texts());
        index::KeywordQuery query;
        query.words.push_back({word(), 1});
        for (const ChunkRef& ref : reference_.match(query, {})) {
            CHECK(must(index_->read("c", {&ref, 1})).at(0).chunk.text == reference_.text(ref));
        }
    }
    void check_file(Tidiness tidiness) {
        const auto wrong = index_inconsistencies(path(), tidiness);
        for (const std::string& sentence : wrong) FAIL_CHECK(sentence);
    }
    void check_facts() {
        const index::IndexFacts facts = must(index_->facts("c"));
        CHECK(facts.pages == reference_.pages());
        CHECK(facts.chunks == reference_.chunks());
        CHECK(facts.vectors == static_cast<std::int64_t>(reference_.with_vector({}).size()));
        CHECK(facts.space == space_);
    }

    TemporaryFolder folder_;
    std::mt19937 random_;
    std::unique_ptr<EmbeddedIndex> index_;
    ReferenceIndex reference_;
    std::int64_t version_ = 10;
    int unique_ = 0, space_ = 0;
    std::vector<float> vector_{1, 1, 1};
};

}  // namespace

TEST_CASE("whatever is done, the index says what a simple one says") {
    for (unsigned seed = 1; seed <= rounds(12); ++seed) {
        CAPTURE(seed);
        RandomRun run(seed);
        for (int step = 0; step < 300; ++step) {
            CAPTURE(step);
            run.step();
        }
        run.finish();
    }
}

TEST_CASE("scores are those of BM25, wherever postings are") {
    const TemporaryFolder folder;
    auto index = index::open_embedded_index({.path = folder.file("index.db"), .tail_chunks = 50}).value();
    ReferenceIndex reference;
    std::mt19937 random(4);
    for (int batch = 0; batch < 40; ++batch) {
        std::vector<IndexedPage> pages;
        for (int page = 0; page < 3; ++page) {
            std::vector<index::IndexedChunk> chunks;
            for (int chunk = 0; chunk < 4; ++chunk) {
                std::string text = "start";
                for (unsigned words = random() % 60; words > 0; --words) {
                    text += fmt::format(" w{}", random() % (1 + random() % 50));
                }
                chunks.push_back(index::promises::chunk_of(text));
            }
            pages.push_back(index::promises::page_of(batch * 3 + page, std::move(chunks)));
        }
        reference.replace(pages);
        REQUIRE(index->replace("c", std::move(pages)));
    }

    index::KeywordQuery query;
    query.words = {{"w0", 1}, {"w7", 2}, {"w30", 1}, {"w49", 1}, {"nowhere", 1}};
    const auto expected = reference.scores(query);
    const auto found = index->match("c", query, {}, 1'000).value();

    REQUIRE(found.size() == expected.size());
    for (std::size_t at = 0; at < found.size(); ++at) {
        CHECK(found[at].score == doctest::Approx(expected.at(found[at].chunk)).epsilon(1e-5));
        if (at > 0) CHECK(found[at].score <= found[at - 1].score);
    }
}

}  // namespace quarry::test
