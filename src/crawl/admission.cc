#include "crawl/admission.h"

#define XXH_INLINE_ALL

#include <algorithm>
#include <bit>

#include <xxhash.h>

#include "crawl/url_identity.h"

namespace quarry::crawl {

namespace {

// Longer links are rare and would make the memory's bound a hundred times larger.
constexpr std::size_t longest_remembered = 200;

}  // namespace

Judgement LinkJudge::judge_url(const url::Url& url) const {
    Judgement judgement{.belongs = scope_.check(url)};
    if (judgement.belongs != Belongs::yes) return judgement;
    judgement.is_at_home = scope_.is_at_home(url);
    judgement.is_seed = scope_.is_seed(url);
    judgement.key = url_key(url, rules_);
    return judgement;
}

Judgement LinkJudge::parsed_and_judged(std::string_view link) const {
    const auto url = url::Url::parse(link);
    return url ? judge_url(*url) : Judgement{};
}

Judgement LinkJudge::judge(std::string_view link) {
    if (slots_.empty() || link.size() > longest_remembered) return parsed_and_judged(link);
    Slot& slot = slots_[XXH3_64bits(link.data(), link.size()) & (slots_.size() - 1)];
    if (slot.link != link) {
        slot.judgement = parsed_and_judged(link);
        slot.link = link;
    }
    return slot.judgement;
}

namespace {

constexpr std::size_t fewest_slots = 256;
// No page for readers has more; the rest of one that does is left out.
constexpr std::size_t most_links = 50'000;

std::string_view without_fragment(std::string_view link) {
    return link.substr(0, link.find('#'));
}

}  // namespace

void Admission::forget_keys(std::size_t expected) {
    const std::size_t slots = std::max(fewest_slots, std::bit_ceil(expected * 2));
    // A page with very many links must not make every later one clear as large a table.
    keys_.assign(slots, UrlKey{});
    keys_used_ = 0;
}

bool Admission::is_repeated(const UrlKey& key) {
    const std::size_t mask = keys_.size() - 1;
    for (std::size_t at = key.low & mask;; at = (at + 1) & mask) {
        if (keys_[at] == key) return true;
        if (keys_[at] != UrlKey{}) continue;
        if (keys_used_ < keys_.size() / 2) {
            keys_[at] = key;
            ++keys_used_;
        }
        return false;
    }
}

void Admission::add(std::string_view link, const Judgement& judgement, Batch& batch) const {
    // Few links come this far, so parsing once more is cheaper than remembering every link's parts.
    const auto url = url::Url::parse(link);
    if (!url) return;
    if (config_.shapes != nullptr && !judgement.is_seed &&
        !config_.shapes->with([&](ShapeCounter& shapes) { return shapes.admit(*url, judgement.key); })) {
        ++batch.admitted.refused[static_cast<std::size_t>(Belongs::trap)];
        return;
    }
    batch.admitted.found.push_back({.url = kept_url(*url),
                                    .key = judgement.key,
                                    .host = host_key(*url),
                                    .depth = batch.depth,
                                    .source = batch.source});
}

void Admission::admit(std::string_view link, Batch& batch) {
    link = without_fragment(link);
    const Judgement judgement = judge_.judge(link);
    Belongs belongs = judgement.belongs;
    if (belongs == Belongs::yes && !judgement.is_seed) {
        if (batch.stay_home && !judgement.is_at_home) belongs = Belongs::other_host;
        if (judge_.scope().is_too_deep(batch.depth)) belongs = Belongs::too_deep;
    }
    if (belongs != Belongs::yes)
        ++batch.admitted.refused[static_cast<std::size_t>(belongs)];
    else if (is_repeated(judgement.key))
        ++batch.admitted.repeated;
    else if (config_.known && config_.known(judgement.key))
        ++batch.admitted.known;
    else
        add(link, judgement, batch);
}

void Admission::admit_links(const std::vector<Link>& links, bool page_says_nofollow, Batch& batch) {
    for (const Link& link : std::span(links).first(std::min(links.size(), most_links))) {
        if (!config_.ignore_robots && (page_says_nofollow || link.nofollow))
            ++batch.admitted.nofollow;
        else
            admit(link.url, batch);
    }
}

std::optional<UrlKey> Admission::canonical_of(const Document& document, const url::Url& page,
                                              const UrlKey& page_key) {
    if (document.metadata.canonical.empty()) return std::nullopt;
    const auto canonical = url::Url::parse(document.metadata.canonical);
    if (!canonical) return std::nullopt;
    const bool to_home_page = canonical->path() == "/" && !canonical->query() && page.path() != "/";
    if (to_home_page) return std::nullopt;
    const Judgement judgement = judge_.judge(without_fragment(canonical->href()));
    if (judgement.belongs != Belongs::yes || judgement.key == page_key) return std::nullopt;
    return judgement.key;
}

Admitted Admission::from_page(const Document& document, const url::Url& page, int depth) {
    forget_keys(std::min(document.links.size() + document.frames.size(), 2 * most_links) + 1);
    // The page may be outside the scope (a seed can be anywhere), so that its judgement may have no key.
    const UrlKey page_key = judge_.key_of(page);
    is_repeated(page_key);
    Batch batch{.source = UrlSource::link, .depth = depth + 1, .stay_home = !judge_.scope().is_at_home(page)};
    const bool nofollow = document.metadata.robots.nofollow;
    admit_links(document.links, nofollow, batch);
    admit_links(document.frames, nofollow, batch);
    batch.admitted.canonical = canonical_of(document, page, page_key);
    return std::move(batch.admitted);
}

Admitted Admission::from_list(std::span<const std::string> urls, UrlSource source, int depth) {
    forget_keys(urls.size());
    Batch batch{.source = source, .depth = depth};
    for (const std::string& url : urls) admit(url, batch);
    return std::move(batch.admitted);
}

}  // namespace quarry::crawl
