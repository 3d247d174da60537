// What a fetch costs. usage: fetch_bench URL_FILE [IN_FLIGHT] [thread|callback]
// Fetches every URL of the file once (one per line) with IN_FLIGHT fetches under way (default 32), and prints
// pages per second, CPU seconds per 1,000 pages and peak memory of the process. The next fetch is submitted
// by a thread of its own, as a crawl's dispatcher does, or by the callback of the one that ended.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include "fetch/fetcher.h"
#include "url_file.h"

using namespace quarry;

namespace {

struct Totals {
    std::size_t pages = 0;  // of status 200
    std::size_t failed = 0;
    std::size_t body_bytes = 0;

    void add(const Result<Page>& page) {
        if (page && page->status == 200) {
            ++pages;
            body_bytes += page->body.size();
        } else if (failed++ == 0) {
            std::fprintf(stderr, "%s\n", page ? "not every answer is a 200" : page.error().message.c_str());
        }
    }
};

fetch::FetchRequest request_for(const url::Url& url) {
    return {.url = url, .policy = {.allow_private = true}};
}

// Results pile up here until the submitting thread takes them all.
class Results {
public:
    void add(Result<Page> page) {
        const std::lock_guard lock(mutex_);
        pages_.push_back(std::move(page));
        if (pages_.size() == 1) arrived_.notify_one();
    }
    std::vector<Result<Page>> take() {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [&] { return !pages_.empty(); });
        return std::exchange(pages_, {});
    }

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<Result<Page>> pages_;
};

Totals fetch_from_thread(fetch::Fetcher& fetcher, const std::vector<url::Url>& urls, std::size_t in_flight) {
    Totals totals;
    Results results;
    std::size_t next = 0, done = 0;
    while (done < urls.size()) {
        for (; next < urls.size() && next - done < in_flight; ++next)
            fetcher.fetch(request_for(urls[next]), [&](Result<Page> page) { results.add(std::move(page)); });
        for (const auto& page : results.take()) {
            totals.add(page);
            ++done;
        }
    }
    return totals;
}

// Everything but the first submissions happens on the client's thread.
struct Chain {
    fetch::Fetcher& fetcher;
    const std::vector<url::Url>& urls;
    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> done = 0;
    Totals totals{};

    void submit() {
        const std::size_t index = next++;
        if (index >= urls.size()) return;
        fetcher.fetch(request_for(urls[index]), [this](const Result<Page>& page) {
            totals.add(page);
            submit();
            if (++done == urls.size()) done.notify_all();
        });
    }
};

Totals fetch_from_callback(fetch::Fetcher& fetcher, const std::vector<url::Url>& urls,
                           std::size_t in_flight) {
    Chain chain{.fetcher = fetcher, .urls = urls};
    for (std::size_t i = 0; i < in_flight; ++i) chain.submit();
    for (std::size_t seen = chain.done; seen < urls.size(); seen = chain.done) chain.done.wait(seen);
    return chain.totals;
}

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

rusage resources() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("usage: fetch_bench URL_FILE [IN_FLIGHT] [thread|callback]\n", stderr);
        return 2;
    }
    const auto urls = bench::read_urls(argv[1]);
    const auto in_flight = static_cast<std::size_t>(argc > 2 ? std::max(std::atoi(argv[2]), 1) : 32);
    const bool is_by_callback = argc > 3 && std::string_view(argv[3]) == "callback";
    const auto client = net::HttpClient::open({.max_in_flight = in_flight});
    if (urls.empty() || !client) return 1;
    fetch::Fetcher fetcher(**client, {});

    const rusage before = resources();
    const auto start = std::chrono::steady_clock::now();
    const Totals totals = is_by_callback ? fetch_from_callback(fetcher, urls, in_flight)
                                         : fetch_from_thread(fetcher, urls, in_flight);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    const rusage after = resources();

    const double user = seconds(after.ru_utime) - seconds(before.ru_utime);
    const double system = seconds(after.ru_stime) - seconds(before.ru_stime);
    const double thousands = static_cast<double>(urls.size()) / 1000;
    std::printf(
        "%zu pages, %.1f MB, %zu failed: %.0f pages/s, %.4f CPU s per 1,000 (%.4f user + %.4f "
        "system), peak %ld MB\n",
        totals.pages, static_cast<double>(totals.body_bytes) / 1e6, totals.failed,
        static_cast<double>(urls.size()) / wall.count(), (user + system) / thousands, user / thousands,
        system / thousands, after.ru_maxrss / 1024);
    return totals.failed == 0 ? 0 : 1;
}
