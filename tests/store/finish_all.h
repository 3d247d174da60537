// Does everything that is left, the simplest way.
#pragma once

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "store/rows/pages.h"
#include "store/store.h"

namespace quarry::test {

inline void finish_all(store::Store& store) {
    const WorkerId worker = store.register_worker("last").value();
    while (true) {
        const store::Leased leased = store
                                         .lease({.worker = worker,
                                                 .kinds = {{"scrape", 200}, {"webhook", 200}},
                                                 .urls = 200,
                                                 .urls_per_host = 200,
                                                 .changes = 200})
                                         .value();
        std::vector<store::Finished> finished;
        for (const auto& job : leased.jobs) finished.push_back({job.lease, {.end = store::Completed{}}});
        for (const auto& url : leased.urls) {
            PageWrite page{.key = url.key, .facts = {.url = url.url, .status = 200, .content_hash = 1}};
            page.content = store::pack({.markdown = "words"}).value();
            finished.push_back({url.lease, {.end = store::Completed{}, .pages = {page}}});
        }
        for (const auto& change : leased.changes) finished.push_back({change.lease, {}});
        if (finished.empty()) return;
        const std::vector<store::Verdict> verdicts = store.finish(finished).value();
        REQUIRE(std::ranges::count(verdicts, store::Verdict::applied) == std::ssize(finished));
    }
}

}  // namespace quarry::test
