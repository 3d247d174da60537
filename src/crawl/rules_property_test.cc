// The clever ways of asking, against the plain ones: every folder, every pair, every URL.
#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "crawl/near_duplicates.h"
#include "crawl/scope.h"
#include "crawl/traps.h"
#include "crawl/url_identity.h"

using namespace quarry;
using namespace quarry::crawl;

namespace {

// Short names of few letters, so that folders often lie inside one another.
std::string random_folder(std::mt19937& random) {
    std::string path = "/";
    for (unsigned depth = random() % 4; depth > 0; --depth) {
        for (unsigned letters = random() % 2 + 1; letters > 0; --letters) path += "ab-"[random() % 3];
        path += '/';
    }
    return path;
}

}  // namespace

TEST_CASE("a path belongs to many seeds exactly if it lies under one of them") {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::string> folders, urls;
        for (unsigned count = random() % 6 + 1; count > 0; --count) {
            folders.push_back(random_folder(random) + "x/");
            urls.push_back("https://a.example" + folders.back());
        }
        const Scope scope = Scope::create({.urls = urls}).value();
        for (int i = 0; i < 50; ++i) {
            const std::string path = random_folder(random) + (i % 2 == 0 ? "x/" : "x/y");
            CAPTURE(path);
            const bool under =
                std::ranges::any_of(folders, [&](const auto& each) { return path.starts_with(each); });

            const Belongs belongs = scope.check(url::Url::parse("https://a.example" + path).value());

            CHECK((belongs == Belongs::other_path) == !under);
        }
    }
}

TEST_CASE("a near copy is found exactly if comparing with every page finds one") {
    std::mt19937_64 random(1);
    NearDuplicates index;
    std::vector<std::uint64_t> originals;
    for (std::uint64_t number = 1; number <= 2'000; ++number) {
        std::uint64_t hash = random();
        if (!originals.empty() && number % 2 == 0) {
            hash = originals[random() % originals.size()];
            for (std::uint64_t flips = random() % 6; flips > 0; --flips) hash ^= 1ull << random() % 64;
        }
        const bool expected = std::ranges::any_of(
            originals, [&](std::uint64_t each) { return simhash_distance(each, hash) <= 3; });

        const auto near = index.add(hash, "", {number, number});

        CHECK(near.has_value() == expected);
        if (!near) originals.push_back(hash);
    }
}

TEST_CASE("several expressions match exactly what one of them matches") {
    const std::vector<std::string> expressions{"^/docs/", "(?i)draft$", "[0-9]{4}", "a|b/c"};
    const PathFilter all = PathFilter::create(expressions).value();
    for (const char* path :
         {"/docs/x", "/x/docs/", "/x/DRAFT", "/draft/x", "/2026/", "/202/", "/b/c", "/b/d", "/", ""}) {
        CAPTURE(std::string(path));
        const bool any = std::ranges::any_of(expressions, [&](const std::string& each) {
            return PathFilter::create({&each, 1}).value().matches(path);
        });
        CHECK(all.matches(path) == any);
    }
}

TEST_CASE("no expressions match nothing, and an empty one matches all") {
    CHECK(PathFilter::create({}).value().is_empty());
    CHECK_FALSE(PathFilter::create({}).value().matches("/x"));
    const std::string empty;
    CHECK(PathFilter::create({&empty, 1}).value().matches("/x"));
}

TEST_CASE("a shape's limit is kept within a fifth, whatever its URLs") {
    for (const int limit : {200, 1'000, 5'000}) {
        CAPTURE(limit);
        ShapeCounter counter({.by_parameters = {limit, limit, limit, limit}});
        int admitted = 0;
        for (int i = 0; i < 4 * limit; ++i) {
            const url::Url url =
                url::Url::parse("https://a.example/find?q=" + std::to_string(i * 7'919)).value();
            admitted += counter.admit(url, url_key(url, {})) ? 1 : 0;
        }
        CHECK(admitted >= limit * 8 / 10);
        CHECK(admitted <= limit * 12 / 10 + 64);
    }
}

TEST_CASE("keys of very many URLs are all different") {
    std::set<UrlKey> keys;
    for (int i = 0; i < 50'000; ++i)
        keys.insert(url_key(url::Url::parse("https://a.example/" + std::to_string(i)).value(), {}));
    CHECK(keys.size() == 50'000);
}
