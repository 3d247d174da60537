// What only Qdrant has: a service that fails, and readers who look while a page is being replaced. The
// promises of every index are in promises/.
#include "index/qdrant/qdrant_index.h"

#include <atomic>
#include <set>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "index/promises/backend.h"

using namespace quarry;
using namespace quarry::index;
using namespace quarry::index::promises;
using namespace std::chrono_literals;
using test::Fault;
using test::ImitationQdrant;

namespace {

using Waits = std::vector<std::chrono::milliseconds>;
using Texts = std::multiset<std::string>;

struct Setup {
    explicit Setup(test::ImitationQdrantOptions options = {}, QdrantConfig config = {})
        : qdrant(std::move(options)), index(open(std::move(config))) {}
    ~Setup() { CHECK(qdrant.conduct.wrong_requests() == std::vector<std::string>{}); }

    std::unique_ptr<Index> open(QdrantConfig config = {}) {
        config.url = qdrant.url();
        config.wait = [this](std::chrono::milliseconds duration) { waits.push_back(duration); };
        return open_qdrant_index(std::move(config), *client).value();
    }

    ImitationQdrant qdrant;
    std::unique_ptr<net::HttpClient> client = net::HttpClient::open({}).value();
    Waits waits;
    std::unique_ptr<Index> index;
};

Result<void> put(Index& index, std::int64_t page, const std::vector<std::string>& texts,
                 std::int64_t version = 1) {
    std::vector<IndexedChunk> chunks;
    for (const std::string& text : texts) chunks.push_back(chunk_of(text, {1, 0}));
    std::vector<IndexedPage> pages;
    pages.push_back(page_of(page, std::move(chunks), version));
    return index.replace("default", std::move(pages));
}

KeywordQuery asking(const std::string& word) {
    KeywordQuery query;
    query.words = {{word, 1}};
    return query;
}

Texts texts_of(const std::vector<FoundChunk>& chunks) {
    Texts texts;
    for (const FoundChunk& chunk : chunks) texts.insert(chunk.chunk.text);
    return texts;
}

// All that a reader finds for the word, as texts.
Texts found_by_words(Index& index, const std::string& word = "word") {
    std::vector<ChunkRef> refs;
    const auto hits = index.match("default", asking(word), {}, 20).value();
    for (const Scored& hit : hits) refs.push_back(hit.chunk);
    return texts_of(index.read("default", refs).value());
}

std::size_t count_nearest(Index& index) {
    return index.nearest("default", std::vector<float>{1, 0}, {}, 20).value().size();
}

const std::vector<std::string> old_texts{"word old0", "word old1", "word old2"};
const std::vector<std::string> new_texts{"word new0", "word new1", "word new2", "word new3", "word new4"};
const Texts all_old(old_texts.begin(), old_texts.end()), all_new(new_texts.begin(), new_texts.end());

}  // namespace

TEST_CASE("whenever one looks while a page is replaced, it is all old or all new") {
    Setup setup;
    REQUIRE(put(*setup.index, 7, old_texts, 1));
    const auto reader = setup.open();
    bool has_seen_new = false;
    int looked = 0;
    setup.qdrant.on_change([&] {
        const Texts texts = found_by_words(*reader);
        const std::size_t nearest = count_nearest(*reader);
        CHECK((texts == all_old || texts == all_new));
        if (has_seen_new) CHECK(texts == all_new);
        CHECK(nearest == texts.size());
        has_seen_new = texts == all_new;
        ++looked;
    });

    REQUIRE(put(*setup.index, 7, new_texts, 2));

    // Five new chunks, the page's point, three old chunks, the collection's point.
    CHECK(looked == 10);
    CHECK(has_seen_new);
    CHECK(setup.qdrant.count_points("quarry-default") == 5 + 2);
}

TEST_CASE("a page that is replaced between two requests of one question is still whole") {
    // By the number of the reader's request behind which the page is replaced.
    for (int moment = 1; moment <= 6; ++moment) {
        CAPTURE(moment);
        Setup setup;
        REQUIRE(put(*setup.index, 7, old_texts, 1));
        const auto reader = setup.open();
        std::atomic<int> left = moment;
        setup.qdrant.on_result([&](const test::ServerRequest&) {
            if (--left == 0) CHECK(put(*setup.index, 7, new_texts, 2));
        });

        const auto hits = reader->match("default", asking("word"), {}, 20).value();

        CHECK((hits.size() == all_old.size() || hits.size() == all_new.size()));
        setup.qdrant.on_result({});
    }
}

TEST_CASE("chunks that are replaced while they are read come from one version") {
    for (int moment = 1; moment <= 2; ++moment) {
        CAPTURE(moment);
        Setup setup;
        REQUIRE(put(*setup.index, 7, old_texts, 1));
        const auto reader = setup.open();
        std::atomic<int> left = moment;
        setup.qdrant.on_result([&](const test::ServerRequest&) {
            if (--left == 0) CHECK(put(*setup.index, 7, new_texts, 2));
        });

        const std::vector<ChunkRef> refs{ref(7, 0), ref(7, 1), ref(7, 2)};
        const Texts texts = texts_of(reader->read("default", refs).value());

        CHECK((texts == all_old || texts == Texts{"word new0", "word new1", "word new2"}));
        setup.qdrant.on_result({});
    }
}

TEST_CASE("a page that was written long ago is believed without asking twice") {
    Timestamp now(1'760'000'000'000ms);
    Setup setup({}, {.now = [&] { return now; }});
    REQUIRE(put(*setup.index, 7, old_texts));
    const auto questions = [&] {
        const std::size_t before = setup.qdrant.server().requests().size();
        CHECK(setup.index->match("default", asking("word"), {}, 10).value().size() == 3);
        return setup.qdrant.server().requests().size() - before;
    };

    CHECK(questions() == 4);
    now += 6min;
    CHECK(questions() == 2);
}

TEST_CASE("a replacement that broke off anywhere changes nothing, and is done by doing it again") {
    for (int requests = 0; requests < 6; ++requests) {
        CAPTURE(requests);
        Setup setup;
        REQUIRE(put(*setup.index, 7, old_texts, 1));
        setup.qdrant.conduct.faults.next(Fault::none, requests);
        setup.qdrant.conduct.faults.always(Fault::reset);
        const auto broken = put(*setup.index, 7, new_texts, 2);
        setup.qdrant.conduct.faults.always(Fault::none);
        const auto reader = setup.open();
        const Texts between = found_by_words(*reader);
        CHECK((between == all_old || between == all_new));
        if (broken) CHECK(between == all_new);

        // Meanwhile the page has become shorter.
        REQUIRE(put(*setup.index, 7, {"word shorter"}, 3));

        CHECK(found_by_words(*reader) == Texts{"word shorter"});
        CHECK(setup.index->facts("default").value().chunks == 1);
    }
}

TEST_CASE("a Qdrant that stumbles is asked again after 1, 2 and 4 seconds") {
    for (const Fault fault :
         {Fault::cut, Fault::overloaded, Fault::unavailable, Fault::internal, Fault::out_of_storage}) {
        CAPTURE(static_cast<int>(fault));
        Setup setup;
        REQUIRE(put(*setup.index, 1, old_texts));
        setup.qdrant.conduct.faults.next(fault, 3);

        CHECK(put(*setup.index, 2, new_texts));
        CHECK(setup.waits == Waits{1s, 2s, 4s});

        setup.qdrant.conduct.faults.next(fault, 4);
        const auto refused = put(*setup.index, 3, new_texts);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::unavailable);
    }
}

TEST_CASE("Retry-After is obeyed, unless it asks for more than a minute") {
    Setup setup;
    REQUIRE(put(*setup.index, 1, old_texts));
    setup.qdrant.conduct.faults.next(Fault::overloaded_7s);
    CHECK(put(*setup.index, 2, new_texts));
    CHECK(setup.waits == Waits{7s});

    setup.qdrant.conduct.faults.next(Fault::overloaded_1h);
    CHECK(put(*setup.index, 3, new_texts).error().code == ErrorCode::unavailable);
    CHECK(setup.waits == Waits{7s});
}

TEST_CASE("a Qdrant that is not there is unavailable, and nothing is lost when it comes") {
    std::uint16_t port = 0;
    {
        port = ImitationQdrant().port();
    }
    const auto client = net::HttpClient::open({}).value();
    const auto index =
        open_qdrant_index({.url = fmt::format("http://127.0.0.1:{}", port), .wait = [](auto) {}}, *client)
            .value();
    CHECK(put(*index, 1, old_texts).error().code == ErrorCode::unavailable);
    CHECK(index->match("default", asking("word"), {}, 5).error().code == ErrorCode::unavailable);
    CHECK(index->facts("default").error().code == ErrorCode::unavailable);

    ImitationQdrant late({.port = port});

    CHECK(put(*index, 1, old_texts));
    CHECK(found_by_words(*index) == all_old);
}

TEST_CASE("a Qdrant that never answers costs its time once") {
    Setup setup({}, {.timeout = 1s});
    REQUIRE(put(*setup.index, 1, old_texts));
    setup.qdrant.conduct.faults.next(Fault::never);
    CHECK(put(*setup.index, 2, new_texts).error().code == ErrorCode::timeout);
    CHECK(setup.waits.empty());
}

TEST_CASE("a change that is only acknowledged is not taken for done") {
    Setup setup;
    REQUIRE(put(*setup.index, 1, old_texts));
    setup.qdrant.conduct.faults.next(Fault::none);  // The page's point is read.
    setup.qdrant.conduct.faults.next(Fault::unfinished);
    CHECK(put(*setup.index, 2, new_texts).error().code == ErrorCode::unavailable);
    CHECK(found_by_words(*setup.index) == all_old);
}

TEST_CASE("answers that are wrong are never taken") {
    for (const Fault fault : {Fault::garbage, Fault::not_a_number}) {
        CAPTURE(static_cast<int>(fault));
        Setup setup;
        REQUIRE(put(*setup.index, 1, old_texts));
        setup.qdrant.conduct.faults.next(fault);
        CHECK(setup.index->match("default", asking("word"), {}, 5).error().code == ErrorCode::corrupt);
    }
}

TEST_CASE("what Qdrant says of a wrong request comes through") {
    Setup setup;
    REQUIRE(put(*setup.index, 1, old_texts));
    setup.qdrant.conduct.faults.next(Fault::wrong_dimensions);
    const auto refused = setup.index->match("default", asking("word"), {}, 5);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::invalid_argument);
    CHECK(refused.error().message ==
          fmt::format(
              "Qdrant at {} answered 400: Wrong input: Vector dimension error: expected dim: 384, got 3",
              setup.qdrant.url()));
}

TEST_CASE("a refused key names the setting, and no key is ever shown") {
    Setup setup({.key = "right"}, {.api_key = "verysecret"});
    const auto refused = put(*setup.index, 1, old_texts);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::refused);
    CHECK(refused.error().message.ends_with("set index.qdrant_key"));

    Setup talkative({.key = "verysecret"}, {.api_key = "verysecret"});
    REQUIRE(put(*talkative.index, 1, old_texts));
    talkative.qdrant.conduct.faults.next(Fault::echo_key);
    const auto echoed = talkative.index->match("default", asking("word"), {}, 5);
    REQUIRE_FALSE(echoed);
    CHECK(echoed.error().message.find("verysecret") == std::string::npos);
    talkative.qdrant.conduct.faults.next(Fault::forbid);
    CHECK(talkative.index->match("default", asking("word"), {}, 5).error().code == ErrorCode::refused);
}

TEST_CASE("points are sent in requests of bounded size") {
    Setup setup({.most_body_bytes = 9'000}, {.max_request_bytes = 8'000});
    std::vector<std::string> texts;
    for (int i = 0; i < 60; ++i) texts.push_back(fmt::format("word number{}", i));
    REQUIRE(put(*setup.index, 1, texts));
    CHECK(setup.index->facts("default").value().chunks == 60);
}

TEST_CASE("the first vectors decide the dimensions, if nobody else has") {
    Setup setup;
    REQUIRE(put(*setup.index, 1, old_texts));
    CHECK(setup.index->facts("default").value().embedder.dimensions == 2);
    CHECK(count_nearest(*setup.index) == 3);
    CHECK(setup.index->nearest("default", std::vector<float>{1, 0, 0}, {}, 5).error().code ==
          ErrorCode::conflict);
    REQUIRE(setup.index->set_embedder("default", {.provider = "", .dimensions = 0}));
    CHECK(setup.index->facts("default").value().vectors == 3);
}

TEST_CASE("a Qdrant too old to exchange vectors begins the collection anew") {
    Setup setup({.knows_vector_routes = false});
    REQUIRE(setup.index->set_embedder("default", {.provider = "tei", .model = "a", .dimensions = 2}));
    REQUIRE(put(*setup.index, 1, old_texts));

    REQUIRE(setup.index->set_embedder("default", {.provider = "tei", .model = "b", .dimensions = 3}));

    CHECK(setup.index->facts("default").value().chunks == 0);
    CHECK(setup.index->facts("default").value().embedder.model == "b");
}

TEST_CASE("a collection that somebody deleted is empty, and made again when it is written to") {
    Setup setup;
    REQUIRE(put(*setup.index, 1, old_texts));
    const auto other = setup.open();
    REQUIRE(other->remove_collection("default"));

    CHECK(found_by_words(*setup.index).empty());
    CHECK(count_nearest(*setup.index) == 0);
    REQUIRE(put(*setup.index, 1, new_texts));
    CHECK(found_by_words(*setup.index) == all_new);
}

TEST_CASE("a collection that was made only half is made whole by the next writer") {
    for (int requests = 1; requests < 12; ++requests) {
        CAPTURE(requests);
        Setup setup;
        setup.qdrant.conduct.faults.next(Fault::none, requests);
        setup.qdrant.conduct.faults.always(Fault::reset);
        const auto broken = put(*setup.index, 1, old_texts);
        setup.qdrant.conduct.faults.always(Fault::none);

        const auto next = setup.open();
        REQUIRE(put(*next, 1, new_texts, 2));
        CHECK(found_by_words(*next) == all_new);
    }
}

TEST_CASE("collections of others in the same Qdrant are left alone") {
    Setup setup;
    const auto other = setup.open({.prefix = "theirs-"});
    REQUIRE(put(*other, 1, old_texts));
    REQUIRE(put(*setup.index, 1, new_texts));
    CHECK(setup.index->collections().value() == std::vector<std::string>{"default"});
    REQUIRE(setup.index->remove_collection("default"));
    CHECK(found_by_words(*other) == all_old);
}

TEST_CASE("writers and readers in many threads lose nothing") {
    Setup setup;
    REQUIRE(setup.index->set_embedder("default", {.provider = "tei", .model = "m", .dimensions = 2}));
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([&, i] {
                for (int j = 0; j < 4; ++j) CHECK(put(*setup.index, i * 10 + j, {"word", "word"}));
                CHECK(setup.index->match("default", asking("word"), {}, 50));
            });
    }
    CHECK(setup.index->facts("default").value().chunks == 64);
}

TEST_CASE("an address that cannot be asked is refused at once, without its password") {
    const auto client = net::HttpClient::open({}).value();
    for (const char* url : {"", "localhost:6333", "ftp://a.example", "http://me:pass@a.example"}) {
        CAPTURE(url);
        const auto index = open_qdrant_index({.url = url}, *client);
        REQUIRE_FALSE(index);
        CHECK(index.error().code == ErrorCode::invalid_argument);
        CHECK(index.error().message.find("pass@") == std::string::npos);
    }
}
