// What rendering costs, and which pages are rendered. usage:
//   browser_bench render URL_FILE [AT_ONCE] [SECONDS_PER_PAGE]   renders every URL of the file (one per line)
//   browser_bench decide FILE...                                 prints the HTML files that `auto` would
//   render
// The first prints one JSON record: milliseconds to the first page, then pages per second, what the pool
// holds at rest, and what it has done. It says "at rest" on standard error and ends when its input does, so
// that others can look at its processes.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "browser/pool.h"
#include "browser/supervisor.h"
#include "extract/client_rendered.h"
#include "html/parser.h"
#include "url_file.h"

using namespace quarry;
using Clock = std::chrono::steady_clock;

namespace {

browser::RenderRequest request_for(const url::Url& url, std::chrono::milliseconds time) {
    browser::RenderRequest request{.url = url};
    request.policy.allow_private = true;
    request.blocked = {.ads = true, .fonts = true, .media = true, .images = true};
    request.limits.time = time;
    return request;
}

struct Tally {
    std::atomic<std::size_t> rendered = 0, failed = 0, bytes = 0;

    void add(const Result<browser::Rendered>& page) {
        if (page) {
            ++rendered;
            bytes += page->html.size();
        } else if (failed++ == 0) {
            std::fprintf(stderr, "first failure: %s\n", page.error().message.c_str());
        }
    }
};

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

void render_all(browser::Pool& pool, std::span<const url::Url> urls, int at_once,
                std::chrono::milliseconds time, Tally& tally) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < at_once; ++i)
        threads.emplace_back([&] {
            for (std::size_t index = next++; index < urls.size(); index = next++)
                tally.add(pool.render(request_for(urls[index], time)));
        });
}

int render(const char* file, int at_once, std::chrono::milliseconds time) {
    const auto urls = bench::read_urls(file);
    if (urls.empty()) return 1;
    browser::PoolConfig config{.pages_at_once = at_once, .idle = std::chrono::seconds(15)};
    config.chromium.listeners = at_once;
    browser::Pool pool(config);

    Tally tally;
    auto start = Clock::now();
    tally.add(pool.render(request_for(urls.front(), time)));
    const double first = seconds_since(start);
    start = Clock::now();
    render_all(pool, std::span(urls).subspan(1), at_once, time, tally);
    const double rest = seconds_since(start);

    const browser::PoolTally held = pool.tally();
    std::printf(
        R"({"first_ms": %.0f, "pages_per_second": %.2f, "rendered": %zu, "failed": %zu, "html_bytes": %zu, )"
        R"("idle_bytes": %llu, "idle_processes": %d, "browsers": %llu, "ended_stuck": %llu})"
        "\n",
        first * 1000, static_cast<double>(urls.size() - 1) / rest, tally.rendered.load(), tally.failed.load(),
        tally.bytes.load(), static_cast<unsigned long long>(held.memory), held.processes,
        static_cast<unsigned long long>(held.started), static_cast<unsigned long long>(held.ended_stuck));
    std::fflush(stdout);
    std::fputs("at rest\n", stderr);
    while (std::getchar() != EOF) {
    }
    return 0;
}

int decide(std::span<char*> files) {
    for (const char* file : files) {
        std::ifstream in(file, std::ios::binary);
        const std::string bytes(std::istreambuf_iterator<char>(in), {});
        if (extract::made_by_scripts(html::parse(bytes)) != extract::ScriptMade::no) std::puts(file);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view mode = argc > 1 ? argv[1] : "";
    if (mode == browser::keeper_command) return browser::run_keeper();
    if (mode == "decide") return decide(std::span(argv + 2, argv + argc));
    if (mode == "render" && argc > 2)
        return render(argv[2], argc > 3 ? std::max(std::atoi(argv[3]), 1) : 4,
                      std::chrono::seconds(argc > 4 ? std::max(std::atoi(argv[4]), 1) : 30));
    std::fputs("usage: browser_bench render URL_FILE [AT_ONCE] [SECONDS_PER_PAGE] | decide FILE...\n",
               stderr);
    return 2;
}
