#include "embed/space/space.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "embed/space/passages_test.h"

using namespace quarry;
using namespace quarry::embed;

namespace {

// Words between blanks.
text::TermBag bag(std::string_view passage) {
    text::TermBag terms;
    auto letters = std::make_shared<const std::string>(passage);
    std::map<std::string_view, std::uint32_t> counts;
    std::string_view rest = *letters;
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.size(), word.size() + 1));
        ++counts[word];
        ++terms.length;
    }
    for (const auto& [word, count] : counts) terms.counts.push_back({word, count});
    terms.letters = std::move(letters);
    return terms;
}

Result<Space> fit_subjects(int dimensions, std::stop_token stop = {}) {
    SpaceFit fit({.dimensions = dimensions});
    for (const Subject& subject : subjects) {
        for (const std::string_view passage : subject.passages) fit.add(bag(passage));
    }
    return fit.finish(stop);
}

float cosine(const std::vector<float>& a, const std::vector<float>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0F);
}

bool has_word(const text::TermBag& terms, std::string_view word) {
    return std::ranges::any_of(terms.counts, [&](const auto& count) { return count.term == word; });
}

// Counts the passages of other subjects that are nearer to the query than the subject's own farthest passage.
// Only own passages without the query's word are considered.
int strangers_before_synonyms(const Space& space, const Subject& subject, std::string_view query) {
    const std::vector<float> asked = space.fold_in(bag(query));
    float farthest = 1;
    for (const std::string_view passage : subject.passages) {
        if (!has_word(bag(passage), query))
            farthest = std::min(farthest, cosine(asked, space.fold_in(bag(passage))));
    }
    int strangers = 0;
    for (const Subject& other : subjects) {
        if (other.name == subject.name) continue;
        for (const std::string_view passage : other.passages) {
            strangers += cosine(asked, space.fold_in(bag(passage))) > farthest;
        }
    }
    return strangers;
}

}  // namespace

TEST_CASE("a word finds passages that have only its synonym") {
    const Space space = fit_subjects(8).value();

    int strangers = 0;
    for (const Subject& subject : subjects) {
        CAPTURE(subject.name);
        CHECK(strangers_before_synonyms(space, subject, subject.name) <= 5);
        CHECK(strangers_before_synonyms(space, subject, subject.other_name) <= 5);
        strangers += strangers_before_synonyms(space, subject, subject.name) +
                     strangers_before_synonyms(space, subject, subject.other_name);
    }
    CHECK(strangers <= 12);  // of 600
}

TEST_CASE("vectors have unit length and the space's dimensions") {
    const Space space = fit_subjects(12).value();

    const std::vector<float> vector = space.fold_in(bag("the doctor drives an automobile"));

    CHECK(space.dimensions() == 12);
    REQUIRE(vector.size() == 12);
    CHECK(cosine(vector, vector) == doctest::Approx(1));
}

TEST_CASE("a text of unknown words has no vector") {
    const Space space = fit_subjects(12).value();

    CHECK(space.fold_in(bag("quark gluon")).empty());
    CHECK(space.fold_in(bag("")).empty());
    CHECK(space.fold_in(bag("festival")).size() == 12);
    CHECK(space.fold_in(bag("bonnet")).empty());  // in one passage only, so it relates to no other word
}

TEST_CASE("the same sample gives the same space") {
    CHECK(fit_subjects(12).value().serialise() == fit_subjects(12).value().serialise());
}

TEST_CASE("a space is the same after it was written and read") {
    const Space space = fit_subjects(12).value();

    const Space again = Space::parse(space.serialise()).value();

    CHECK(again.dimensions() == 12);
    CHECK(again.serialise() == space.serialise());
    CHECK(again.fold_in(bag("the crew of the vessel")) == space.fold_in(bag("the crew of the vessel")));
}

TEST_CASE("a sample that is too small spans no space") {
    SpaceFit nothing({.dimensions = 2});
    CHECK(nothing.finish({}).error().code == ErrorCode::conflict);

    CHECK(fit_subjects(64).error().code == ErrorCode::conflict);
}

TEST_CASE("chunks that are all alike span what there is") {
    SpaceFit fit({.dimensions = 4});
    for (int i = 0; i < 20; ++i) fit.add(bag(i % 2 == 0 ? "red green blue white" : "one two three four"));

    const Space space = fit.finish({}).value();

    const std::vector<float> colour = space.fold_in(bag("green")), number = space.fold_in(bag("two"));
    CHECK(cosine(colour, space.fold_in(bag("white"))) == doctest::Approx(1).epsilon(0.02));
    CHECK(std::abs(cosine(colour, number)) < 0.02);
}

TEST_CASE("what is beyond the sample's size is not taken") {
    SpaceFit fit({.dimensions = 4, .max_chunks = 20});
    for (int i = 0; i < 20; ++i) fit.add(bag(i % 2 == 0 ? "red green blue white" : "one two three four"));
    for (int i = 0; i < 20; ++i) fit.add(bag("late later latest"));

    CHECK(fit.finish({}).value().fold_in(bag("later")).empty());
}

TEST_CASE("of more words than may be known, those are kept that occur most") {
    SpaceFit fit({.dimensions = 2, .max_vocabulary = 4});
    for (int i = 0; i < 400; ++i) {
        fit.add(bag(i % 4 == 0 ? "red green" : i % 4 == 1 ? "one two" : i < 16 ? "rare seldom" : ""));
    }

    const Space space = fit.finish({}).value();

    CHECK(!space.fold_in(bag("green")).empty());
    CHECK(!space.fold_in(bag("two")).empty());
    CHECK(space.fold_in(bag("rare")).empty());
}

TEST_CASE("fitting stops when asked to") {
    std::stop_source stop;
    stop.request_stop();

    CHECK(fit_subjects(12, stop.get_token()).error().code == ErrorCode::interrupted);
}

TEST_CASE("damaged bytes are not taken for a space") {
    const std::string bytes = fit_subjects(12).value().serialise();
    REQUIRE(Space::parse(bytes));

    for (std::size_t length = 0; length < bytes.size(); ++length) {
        REQUIRE(!Space::parse(std::string_view(bytes).substr(0, length)));
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
        REQUIRE(!Space::parse(damaged));
    }
    CHECK(Space::parse(bytes + "x").error().code == ErrorCode::corrupt);
}

using quarry::embed::FeedbackChunk;
using quarry::embed::lean_towards;
using Vector = std::vector<float>;
using Chunks = std::vector<FeedbackChunk>;

TEST_CASE("a query leans towards the middle of the chunks, and stays nearer to itself") {
    const Vector leaning = lean_towards(Vector{1, 0, 0}, Chunks{{{0, 1, 0}, 5}, {{0, 0, 1}, 5}});

    REQUIRE(leaning.size() == 3);
    CHECK(leaning[0] > leaning[1]);
    CHECK(leaning[1] > 0);
    CHECK(leaning[1] == doctest::Approx(leaning[2]));
    CHECK(std::hypot(leaning[0], leaning[1], leaning[2]) == doctest::Approx(1));
}

TEST_CASE("however many chunks there are, their share is the same") {
    const Vector one = lean_towards(Vector{1, 0}, Chunks{{{0, 1}, 7}});
    const Vector three = lean_towards(Vector{1, 0}, Chunks{{{0, 1}, 2}, {{0, 1}, 2}, {{0, 1}, 1}});

    CHECK(one[0] == doctest::Approx(three[0]));
    CHECK(one[1] == doctest::Approx(three[1]));
}

TEST_CASE("without chunks a query is as it was, without a query the chunks stand for it") {
    CHECK(lean_towards(Vector{0, 1}, {}) == Vector{0, 1});
    CHECK(lean_towards(Vector{0, 1}, Chunks{{{}, 1}}) == Vector{0, 1});
    CHECK(lean_towards({}, Chunks{{{}, 2}, {{3, 4}, 1}}) == Vector{0.6F, 0.8F});
    CHECK(lean_towards({}, {}).empty());
    CHECK(lean_towards({}, Chunks{{{}, 1}, {{}, 1}}).empty());
}

TEST_CASE("chunks that cancel each other out change nothing") {
    CHECK(lean_towards(Vector{0, 1}, Chunks{{{1, 0}, 1}, {{-1, 0}, 1}}) == Vector{0, 1});
}

TEST_CASE("a better chunk draws more") {
    const Vector leaning = lean_towards(Vector{1, 0, 0}, Chunks{{{0, 1, 0}, 10}, {{0, 0, 1}, 5}});

    CHECK(leaning[1] > 4 * leaning[2]);
    CHECK(leaning[2] > 0);
}

TEST_CASE("scores of nothing make all chunks equal") {
    const Vector leaning = lean_towards({}, Chunks{{{1, 0}, 0}, {{0, 1}, 0}});

    CHECK(leaning[0] == doctest::Approx(leaning[1]));
}
