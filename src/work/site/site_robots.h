// robots.txt of each origin of a site, fetched when it is first needed.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "crawl/robots.h"
#include "url/url.h"
#include "work/site/site_files.h"

namespace quarry::work {

// Used by one thread at a time.
class SiteRobots {
public:
    explicit SiteRobots(SiteAccess access) : access_(std::move(access)) {}

    // The rules of the URL's origin. Waits for the network the first time.
    const crawl::Robots& of(const url::Url& url) { return answer(url).robots; }

    // Fails with `refused` and the rule that forbids it, or with the reason why the rules could not be had.
    Result<void> check(const url::Url& url);

private:
    struct Answer {
        crawl::Robots robots;
        std::optional<Error> error{};  // nothing answered
    };

    const Answer& answer(const url::Url& url);

    SiteAccess access_;
    std::map<std::string, Answer> by_origin_;
};

}  // namespace quarry::work
