#include "crawl/link_judge.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

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

}  // namespace quarry::crawl
