#include "index/embedded/signs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <doctest/doctest.h>

#include "index/embedded/vectors.h"

using namespace quarry::index;

namespace {

using Vector = std::vector<float>;

class Vectors {
public:
    explicit Vectors(std::size_t dimensions) : dimensions_(dimensions) {}

    Vector next() {
        std::normal_distribution<float> normal;
        Vector vector(dimensions_);
        for (float& x : vector) x = normal(random_);
        return vector;
    }

private:
    std::size_t dimensions_;
    std::mt19937 random_{7};
};

// The distance as its definition says: the magnitude's steps where signs differ.
std::uint16_t distance_by_definition(const Vector& query, const Vector& vector) {
    double sum = 0;
    for (const float x : query) sum += std::abs(x);
    const double average = sum / static_cast<double>(query.size());
    int distance = 0;
    for (std::size_t i = 0; i < query.size(); ++i) {
        if ((query[i] > 0) == (vector[i] > 0)) continue;
        distance += std::min(7, static_cast<int>(std::abs(query[i]) * (7 / (2.2 * average)) + 0.5));
    }
    return static_cast<std::uint16_t>(distance);
}

std::vector<SignCandidate> scan_by_definition(const std::vector<Vector>& vectors, const Vector& query,
                                              std::size_t limit) {
    std::vector<SignCandidate> all;
    for (std::uint32_t slot = 0; slot < vectors.size(); ++slot) {
        if (!vectors[slot].empty()) all.push_back({slot, distance_by_definition(query, vectors[slot])});
    }
    std::ranges::stable_sort(all, {}, &SignCandidate::distance);
    all.resize(std::min(all.size(), limit));
    return all;
}

}  // namespace

TEST_CASE("a scan finds what the definition of the distance says, for every size") {
    for (const std::size_t dimensions : {64, 100, 128, 256, 384, 768, 1024, 2048}) {
        CAPTURE(dimensions);
        Vectors source(dimensions);
        SignBits bits(dimensions);
        std::vector<Vector> vectors;
        for (std::uint32_t slot = 0; slot < 1000; ++slot) {
            vectors.push_back(source.next());
            bits.set(slot, vectors.back());
        }
        const Vector query = source.next();

        CHECK(bits.nearest(query, 10) == scan_by_definition(vectors, query, 10));
        CHECK(bits.nearest(query, 300) == scan_by_definition(vectors, query, 300));
        CHECK(bits.nearest(query, 5000) == scan_by_definition(vectors, query, 5000));
    }
}

TEST_CASE("all kinds of processors compute the same distances") {
    for (const std::size_t words : {1, 2, 3, 4, 6, 32}) {
        Vectors source(words * 64);
        const SignQuery query = make_sign_query(source.next(), words);
        std::mt19937_64 random(words);
        std::vector<std::uint64_t> bits(16 * 8 * words);
        for (std::uint64_t& word : bits) word = random();
        std::vector<std::uint16_t> expected(16 * 8);
        sign_distances().back().function(query, bits.data(), 16, expected.data());

        for (const NamedSignDistance& distance : sign_distances()) {
            CAPTURE(distance.name);
            std::vector<std::uint16_t> got(16 * 8);
            distance.function(query, bits.data(), 16, got.data());
            CHECK(got == expected);
        }
    }
}

TEST_CASE("a slot is replaced, cleared and used again") {
    Vectors source(128);
    SignBits bits(128);
    std::vector<Vector> vectors(300'000);  // most of them unused, and in more than one piece
    for (std::uint32_t slot = 0; slot < vectors.size(); slot += 7)
        bits.set(slot, vectors[slot] = source.next());
    for (std::uint32_t slot = 0; slot < vectors.size(); slot += 21)
        bits.set(slot, vectors[slot] = source.next());
    for (std::uint32_t slot = 0; slot < vectors.size(); slot += 35) {
        bits.clear(slot);
        vectors[slot].clear();
    }
    bits.set(35, vectors[35] = source.next());
    const Vector query = source.next();

    CHECK(bits.nearest(query, 50) == scan_by_definition(vectors, query, 50));
}

TEST_CASE("only allowed slots are found") {
    Vectors source(64);
    SignBits bits(64);
    std::vector<Vector> allowed_vectors(500);
    std::vector<std::uint64_t> allowed(8);
    for (std::uint32_t slot = 0; slot < 500; ++slot) {
        const Vector vector = source.next();
        bits.set(slot, vector);
        if (slot % 3 != 0 || slot / 64 == 2) continue;  // of the third word none
        allowed[slot / 64] |= std::uint64_t{1} << (slot % 64);
        allowed_vectors[slot] = vector;
    }
    const Vector query = source.next();

    CHECK(bits.nearest(query, 20, allowed) == scan_by_definition(allowed_vectors, query, 20));
    CHECK(bits.nearest(query, 20, std::vector<std::uint64_t>{}).empty());
    CHECK(bits.nearest(query, 20, std::vector<std::uint64_t>{~std::uint64_t{0}}).back().slot < 64);
}

TEST_CASE("nothing is found among nothing") {
    SignBits bits(64);
    CHECK(bits.nearest(Vector(64, 1.0F), 10).empty());
    bits.clear(99);
    bits.set(3, Vector(64, 1.0F));
    CHECK(bits.nearest(Vector(64, 1.0F), 0).empty());
    bits.clear(3);
    CHECK(bits.nearest(Vector(64, 1.0F), 10).empty());
}

TEST_CASE("of equal distances the lower slots are found, however many there are") {
    SignBits bits(64);
    for (std::uint32_t slot = 0; slot < 1000; ++slot) bits.set(slot, Vector(64, slot < 500 ? 1.0F : -1.0F));

    const std::vector<SignCandidate> found = bits.nearest(Vector(64, -1.0F), 3);

    REQUIRE(found.size() == 3);
    for (std::uint32_t i = 0; i < 3; ++i) CHECK(found[i] == SignCandidate{500 + i, 0});
}

TEST_CASE("signs of floats and of their eight bits are the same but near 0") {
    SignBits bits(64);
    Vector vector(64, -1.0F);
    vector[5] = 0.7F;
    bits.set(0, vector);
    bits.set(1, std::span<const std::int8_t>(quantise(vector).values));

    const std::vector<SignCandidate> found = bits.nearest(vector, 2);

    REQUIRE(found.size() == 2);
    CHECK(found[0].distance == 0);
    CHECK(found[1].distance == 0);
}

TEST_CASE("memory is a bit per dimension and slot") {
    SignBits bits(256);
    bits.set(1'000'000 - 1, Vector(256, 1.0F));

    CHECK(bits.memory_bytes() < 33'000'000);
}

TEST_CASE("the nearest by angle are among few candidates") {
    // 20,000 vectors in 200 bundles; the ten nearest are within the bundle of the query.
    Vectors source(256);
    std::vector<Vector> centres, vectors;
    for (int i = 0; i < 200; ++i) centres.push_back(source.next());
    SignBits bits(256);
    for (std::uint32_t slot = 0; slot < 20'000; ++slot) {
        Vector vector = source.next();
        for (std::size_t i = 0; i < 256; ++i) vector[i] += 1.5F * centres[slot % 200][i];
        bits.set(slot, vector);
        vectors.push_back(std::move(vector));
    }
    const auto dot = [](const Vector& x, const Vector& y) {
        return std::inner_product(x.begin(), x.end(), y.begin(), 0.0F);
    };
    std::vector<float> lengths;
    for (const Vector& vector : vectors) lengths.push_back(std::sqrt(dot(vector, vector)));

    int found = 0;
    for (std::size_t n = 0; n < 50; ++n) {
        std::vector<std::pair<float, std::uint32_t>> exact;  // by the cosine of the angle
        for (std::uint32_t slot = 0; slot < vectors.size(); ++slot)
            exact.emplace_back(dot(vectors[n], vectors[slot]) / lengths[slot], slot);
        std::ranges::partial_sort(exact, exact.begin() + 10, std::greater{});
        const std::vector<SignCandidate> candidates = bits.nearest(vectors[n], 100);
        for (std::size_t i = 0; i < 10; ++i)
            found += std::ranges::count(candidates, exact[i].second, &SignCandidate::slot);
    }

    CHECK(found >= 495);  // of 500
}

TEST_CASE("eight bits per number keep the angle") {
    Vectors source(256);
    for (int n = 0; n < 20; ++n) {
        const Vector a = source.next(), b = source.next();
        const Int8Vector small_a = quantise(a), small_b = quantise(b);

        const float exact = std::inner_product(a.begin(), a.end(), b.begin(), 0.0F);
        const float estimate =
            static_cast<float>(dot(small_a.values, small_b.values)) * small_a.scale * small_b.scale;

        CHECK(std::abs(estimate - exact) < 256 * 0.005F);
    }
}

TEST_CASE("eight bits per number keep the length") {
    Vectors source(192);
    for (int n = 0; n < 20; ++n) {
        const Vector vector = source.next();
        const Int8Vector small = quantise(vector);

        const float squares = std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0F);

        CHECK(static_cast<float>(dot(small.values, small.values)) * small.scale * small.scale ==
              doctest::Approx(squares));
    }
}

TEST_CASE("a vector of zeros stays one") {
    const Int8Vector zeros = quantise(Vector(8, 0.0F));
    CHECK(zeros.scale == 0);
    CHECK(zeros.values == std::vector<std::int8_t>(8, 0));
    CHECK(quantise(Vector{}).values.empty());
}

TEST_CASE("products of eight bits are exact at the ends of their range") {
    const std::vector<std::int8_t> least(2048, -127), most(2048, 127);
    CHECK(dot(least, most) == -2048 * 127 * 127);
    CHECK(dot(least, least) == 2048 * 127 * 127);
}
