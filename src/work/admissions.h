// What a thread that reads pages remembers of the links it has judged, crawl by crawl.
#pragma once

#include <memory>
#include <unordered_map>

#include "crawl/admission.h"
#include "crawl/link_judge.h"
#include "crawl/scope.h"
#include "store/store.h"
#include "work/crawl_context.h"

namespace quarry::work {

// One per thread.
class Admissions {
public:
    explicit Admissions(const store::Store& store) : store_(store) {}

    // Good until the next call.
    crawl::Admission& of(const std::shared_ptr<CrawlContext>& of_crawl);

private:
    struct Entry {
        std::weak_ptr<CrawlContext> crawl;          // gone when it is over
        std::shared_ptr<const crawl::Scope> scope;  // a widened scope is a new one, with new judgements
        std::unique_ptr<crawl::LinkJudge> judge;
        std::unique_ptr<crawl::Admission> admission;
    };

    const store::Store& store_;
    std::unordered_map<GroupId, Entry> entries_;
};

}  // namespace quarry::work
