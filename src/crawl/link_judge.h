// What a link is to a crawl, remembered: the pages of a site share most of their links, so that most are
// judged by looking up a string instead of parsing and matching it again. Measured with bench/crawl_bench.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "crawl/scope.h"
#include "crawl/url_identity.h"
#include "model/frontier.h"

namespace quarry::crawl {

struct Judgement {
    Belongs belongs = Belongs::not_http;  // whatever its depth
    bool is_at_home = false;              // on one of the crawl's own hosts
    bool is_seed = false;
    UrlKey key{};  // only if it belongs
};

// One per thread and scope; about a megabyte at most. The scope must outlive it.
class LinkJudge {
public:
    static constexpr std::size_t usual_slots = 4'096;

    // `slots` is a power of two, or 0 to remember nothing.
    LinkJudge(const Scope& scope, IdentityRules rules, std::size_t slots = usual_slots)
        : scope_(scope), rules_(rules), slots_(slots) {}

    // Of an absolute URL without a fragment. What is no URL is `not_http`.
    Judgement judge(std::string_view link);
    UrlKey key_of(const url::Url& url) const { return url_key(url, rules_); }

    const Scope& scope() const { return scope_; }

private:
    // Each string has one slot, and the newer of two that share one stays: no lists to keep, and a site's
    // navigation comes back soon enough.
    struct Slot {
        std::string link{};
        Judgement judgement{};
    };

    Judgement judge_url(const url::Url& url) const;
    Judgement parsed_and_judged(std::string_view link) const;

    const Scope& scope_;
    IdentityRules rules_;
    std::vector<Slot> slots_;
};

}  // namespace quarry::crawl
