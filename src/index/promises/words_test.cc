// What every index promises of words: which chunks are found, and which come first.
#include "index/promises/backend.h"

namespace quarry::index::promises {

TEST_CASE_TEMPLATE("a rare word counts more than a common one", Backend, EVERY_INDEX) {
    Backend backend;
    backend.put(1, {"common rare"});
    for (int page = 2; page < 20; ++page) backend.put(page, {"common frequent"});
    backend.put(20, {"frequent frequent"});

    CHECK(backend.match("rare frequent").at(0) == ref(1, 0));
}

TEST_CASE_TEMPLATE("a word counts more in a short chunk, and more if it is there often", Backend,
                   EVERY_INDEX) {
    Backend backend;
    backend.put(1, {"word a b c d e f g h i j"});
    backend.put(2, {"word a"});
    backend.put(3, {"word word"});

    CHECK(backend.match("word") == std::vector{ref(3, 0), ref(2, 0), ref(1, 0)});
}

TEST_CASE_TEMPLATE("more of the words asked for are better", Backend, EVERY_INDEX) {
    Backend backend;
    backend.put(1, {"red house"});
    backend.put(2, {"red car"});
    backend.put(3, {"green car"});

    CHECK(backend.match("red car").at(0) == ref(2, 0));
    CHECK(backend.match("red car").size() == 3);
}

TEST_CASE_TEMPLATE("a word that is asked for twice counts twice", Backend, EVERY_INDEX) {
    Backend backend;
    backend.put(1, {"red"});
    backend.put(2, {"car"});

    KeywordQuery query;
    query.words = {{"red", 1}, {"car", 2}};

    CHECK(backend.match(query) == std::vector{ref(2, 0), ref(1, 0)});
}

TEST_CASE_TEMPLATE("only the best are given, best first", Backend, EVERY_INDEX) {
    Backend backend;
    for (int page = 1; page <= 30; ++page) {
        std::string text = "word";
        for (int filler = 0; filler < page; ++filler) text += " f" + std::to_string(filler);
        backend.put(page, {text});
    }

    KeywordQuery query;
    query.words = {{"word", 1}};
    const auto found = backend.index->match("default", query, {}, 5).value();

    REQUIRE(found.size() == 5);
    for (std::size_t at = 0; at < 5; ++at) {
        CHECK(found[at].chunk == ref(static_cast<std::int64_t>(at) + 1, 0));
        CHECK(found[at].score > 0);
        if (at > 0) CHECK(found[at].score <= found[at - 1].score);
    }
    CHECK(backend.index->match("default", query, {}, 0).value().empty());
}

TEST_CASE_TEMPLATE("required words must all be there", Backend, EVERY_INDEX) {
    Backend backend;
    backend.put(1, {"red fast car"});
    backend.put(2, {"red house"});
    backend.put(3, {"fast car"});

    KeywordQuery query;
    query.words = {{"car", 1}, {"red", 1}};
    query.required = {"red", "fast"};

    CHECK(backend.match(query) == std::vector{ref(1, 0)});
    query.required = {"nowhere"};
    CHECK(backend.match(query).empty());
}

TEST_CASE_TEMPLATE("excluded words must not be there", Backend, EVERY_INDEX) {
    Backend backend;
    backend.put(1, {"red car"});
    backend.put(2, {"red house"});

    KeywordQuery query;
    query.words = {{"red", 1}};
    query.excluded = {"car", "nowhere"};

    CHECK(backend.match(query) == std::vector{ref(2, 0)});
}

TEST_CASE_TEMPLATE("words are compared as bytes, whatever they are", Backend, EVERY_INDEX) {
    Backend backend;
    backend.put(1, {"std::vector foo_bar"});
    backend.put(2, {"日本 本語"});
    backend.put(3, {"std vector"});
    backend.put(4, {std::string(300, 'x')});

    CHECK(backend.match("std::vector") == std::vector{ref(1, 0)});
    CHECK(backend.match("本語") == std::vector{ref(2, 0)});
    CHECK(backend.match(std::string(300, 'x')) == std::vector{ref(4, 0)});
    CHECK(backend.match(std::string(299, 'x')).empty());
}

TEST_CASE_TEMPLATE("slips of the fingers are found", Backend, INDEXES_WITH_WORD_LISTS) {
    Backend backend;
    backend.put(1, {"kubernetes postgres house"});
    backend.put(2, {"postgres mouse"});

    const auto similar = [&](const std::string& word) {
        return backend.index->similar_words("default", word, 3).value();
    };

    CHECK(similar("kubernets") == std::vector<std::string>{"kubernetes"});
    CHECK(similar("postrges") == std::vector<std::string>{"postgres"});
    CHECK(similar("hause") == std::vector<std::string>{"house"});
    CHECK(similar("elephant").empty());
    CHECK(backend.index->similar_words("unknown", "house", 3).value().empty());
}

}  // namespace quarry::index::promises
