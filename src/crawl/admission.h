// From the links of a page to the URLs that a crawl should fetch next: the one place where scope, identity,
// traps and what pages ask of robots come together. The hot path of a crawl, with some sixty links a page.
// LinkJudge remembers what a link is to a crawl: the pages of a site share most of their links, so that
// most are judged by looking up a string instead of parsing and matching it again. Measured with
// bench/crawl_bench.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "crawl/scope.h"
#include "crawl/traps.h"
#include "crawl/url_identity.h"
#include "model/document.h"
#include "model/frontier.h"

namespace quarry::crawl {

// What a link is to a crawl, remembered: the pages of a site share most of their links, so that most are
// judged by looking up a string instead of parsing and matching it again. Measured with bench/crawl_bench.

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

// From the links of a page to the URLs that a crawl should fetch next: the one place where scope, identity,
// traps and what pages ask of robots come together. The hot path of a crawl, with some sixty links a page.

struct Admitted {
    std::vector<FoundUrl> found{};
    std::array<int, belongs_count> refused{};  // by Belongs
    int nofollow = 0;                          // the page or the link asks not to follow it
    int repeated = 0;                          // the page itself, or a link it has already
    int known = 0;                             // to the crawl

    // What the page says is its canonical URL, if that is another one and belongs to the crawl. Mirrors point
    // elsewhere, and pages that all point to the home page are set up wrongly: neither counts.
    std::optional<UrlKey> canonical{};
};

// One per thread and crawl; what it is given must outlive it.
class Admission {
public:
    // Whether the crawl has the URL already. It may say no when it does not know: the store has the last
    // word.
    using Known = std::function<bool(const UrlKey&)>;

    struct Config {
        bool ignore_robots = false;  // links that should not be followed are
        Known known{};               // nothing: no URL is known
        Guarded<ShapeCounter>* shapes =
            nullptr;  // shared by the threads of a crawl; nothing: no limit by shape
    };

    Admission(LinkJudge& judge, Config config) : judge_(judge), config_(std::move(config)) {}

    // Links and frames of a page that lies `depth` links from the start. `page` is the URL that it came from,
    // after redirects.
    Admitted from_page(const Document& document, const url::Url& page, int depth);

    // A list that somebody else made: seeds, a sitemap.
    Admitted from_list(std::span<const std::string> urls, UrlSource source, int depth);

private:
    // What is the same for all links of a page.
    struct Batch {
        Admitted admitted{};
        UrlSource source = UrlSource::link;
        int depth = 0;
        bool stay_home = false;  // the page is on another site: only links back are followed
    };

    void admit(std::string_view link, Batch& batch);
    void admit_links(const std::vector<Link>& links, bool page_says_nofollow, Batch& batch);
    void add(std::string_view link, const Judgement& judgement, Batch& batch) const;
    std::optional<UrlKey> canonical_of(const Document& document, const url::Url& page,
                                       const UrlKey& page_key);
    void forget_keys(std::size_t expected);
    bool is_repeated(const UrlKey& key);  // and remembers it

    LinkJudge& judge_;
    Config config_;
    // The keys of the page at hand: an open-addressed table, kept for its memory, with at most half its slots
    // in use. The key of 128 zero bits stands for an unused slot.
    std::vector<UrlKey> keys_;
    std::size_t keys_used_ = 0;
};

}  // namespace quarry::crawl
