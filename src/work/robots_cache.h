// robots.txt of every origin that crawls go to: asked for once, before the first page, and again when it is
// a day old.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/result.h"
#include "crawl/robots.h"
#include "fetch/fetcher.h"
#include "model/page.h"
#include "net/address_policy.h"
#include "url/url.h"

namespace quarry::work {

// Used by one thread, the dispatcher's; answers come on the HTTP client's.
class RobotsCache {
public:
    struct Rules {
        crawl::Robots robots;
        std::string error{};       // why the rules could not be had; then nothing is allowed for now
        bool has_answered = true;  // the server did, if only to say that it cannot
        bool is_asked_too_often = false;
        Timestamp expires_at{};
    };
    struct Question {
        url::Url url;  // any of the origin
        net::AddressPolicy policy{};
        std::vector<Header> headers{};
    };
    struct Answer {
        std::string key{};
        Result<Page> page;
    };
    using Deliver = std::function<void(Answer)>;

    // `deliver` is called on the client's thread; what it gets must come back through `take`.
    RobotsCache(fetch::Fetcher& fetcher, Deliver deliver) : fetcher_(fetcher), deliver_(std::move(deliver)) {}

    // The rules if they are at hand; else nullptr, and they are asked for unless that is under way.
    // The key names origin, policy and what says who asks together: what one crawl may not reach or be told,
    // another may.
    const Rules* find(const std::string& key, Timestamp now, const std::function<Question()>& ask);
    void take(Answer answer, Timestamp now);

    static std::string key_of(const url::Url& url, const net::AddressPolicy& policy,
                              const std::vector<Header>& headers);

private:
    void forget_expired(Timestamp now);

    fetch::Fetcher& fetcher_;
    Deliver deliver_;
    std::unordered_map<std::string, std::unique_ptr<Rules>> entries_;  // nothing while they are asked for
};

}  // namespace quarry::work
