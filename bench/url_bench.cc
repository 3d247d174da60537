// How long it takes to parse one URL. Every link of every page passes here.
#include <benchmark/benchmark.h>

#include "url/canonical.h"
#include "url/url.h"

using quarry::url::Url;

namespace {

constexpr const char* ordinary = "https://www.example.com/docs/guide/start.html?lang=en&version=3#install";

void parse_ordinary(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(Url::parse(ordinary));
}

void resolve_relative(benchmark::State& state) {
    const Url base = Url::parse("https://www.example.com/docs/guide/").value();
    for (auto _ : state) benchmark::DoNotOptimize(Url::parse("../api/index.html#install", &base));
}

void parse_international(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(Url::parse("https://bücher.example/ü"));
}

void make_canonical(benchmark::State& state) {
    const Url url = Url::parse(ordinary).value();
    for (auto _ : state) benchmark::DoNotOptimize(canonical(url));
}

BENCHMARK(parse_ordinary);
BENCHMARK(resolve_relative);
BENCHMARK(parse_international);
BENCHMARK(make_canonical);

}  // namespace

BENCHMARK_MAIN();
