#include "index/embedded/matching.h"

#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "index/embedded/postings.h"

namespace quarry::index {

namespace {

// By the names' numbers: whether a page with that name may pass.
template <typename Accept>
std::vector<bool> accepted(const Names& names, Accept accept) {
    std::vector<bool> answer;
    for (const std::string& name : names.all()) answer.push_back(accept(name));
    return answer;
}

}  // namespace

bool is_of_host(std::string_view host, std::string_view wanted) {
    if (!host.ends_with(wanted)) return false;
    return host.size() == wanted.size() || host[host.size() - wanted.size() - 1] == '.';
}

PageFilter::PageFilter(const Filter& filter, const PageTable& pages) {
    if (filter.host.empty() && filter.path_prefix.empty() && filter.language.empty() && !filter.since &&
        !filter.until) {
        return;
    }
    const auto hosts = accepted(pages.hosts, [&](const std::string& host) {
        return filter.host.empty() || is_of_host(host, filter.host);
    });
    const auto languages = accepted(pages.languages, [&](const std::string& language) {
        return filter.language.empty() || language == filter.language;
    });
    Bits admitted(pages.size());
    for (PageNumber number = 0; number < pages.size(); ++number) {
        const PageEntry& page = pages.at(number);
        // An entry that has gone has no chunks either; it may even be of a table without names.
        if (page.host >= hosts.size() || !hosts[page.host]) continue;
        if (page.language >= languages.size() || !languages[page.language]) continue;
        if (filter.since && page.fetched_at < *filter.since) continue;
        if (filter.until && page.fetched_at > *filter.until) continue;
        if (page.path.starts_with(filter.path_prefix)) admitted.set(number);
    }
    pages_ = std::move(admitted);
}

namespace {

// Robertson's constants as Lucene has them.
constexpr double saturation = 1.2, length_share = 0.75;

// What a chunk's length takes from the worth of each occurrence in it. Most chunks are short, so this is a
// table that stays in the nearest cache.
class LengthNorms {
public:
    explicit LengthNorms(double average) : average_(average) {
        for (std::uint32_t length = 0; length < table_.size(); ++length) table_[length] = exact(length);
    }
    float operator()(std::uint16_t length) const {
        return length < table_.size() ? table_[length] : exact(length);
    }

private:
    float exact(std::uint32_t length) const {
        return static_cast<float>(saturation * (1 - length_share + length_share * length / average_));
    }

    double average_;
    std::array<float, 2'048> table_{};
};

double inverse_document_frequency(std::int64_t chunks, std::int64_t of) {
    // Postings of chunks that have gone are counted until a merge drops them, so there may be more than all.
    const auto with = static_cast<double>(std::min(chunks, of));
    return std::log(1 + (static_cast<double>(of) - with + 0.5) / (with + 0.5));
}

class Matching {
public:
    Matching(const CollectionView& view, const QueryLists& query)
        : view_(view), query_(query), scores_(view.slots.size()) {}

    Result<void> score() {
        const LengthNorms norms(view_.slots.average_length());
        for (const QueryLists::Word& word : query_.words) TRY(add(word, norms));
        return {};
    }

    // Those that have everything required, and nothing excluded; nothing if all do.
    Result<std::optional<Bits>> allowed() const {
        if (query_.required.empty() && query_.excluded.empty()) return std::nullopt;
        Bits bits = view_.slots.live_bits();
        for (const TermLists& term : query_.required) bits &= TRY(having(term));
        for (const TermLists& term : query_.excluded) bits.remove(TRY(having(term)));
        return bits;
    }

    Result<std::vector<Candidate>> best(const PageFilter& filter, int limit) const {
        const std::optional<Bits> allowed = TRY(this->allowed());
        // What has all that is required is found even if it has none of the other words.
        const bool takes_zeros = !query_.required.empty();
        Best best(static_cast<std::size_t>(std::max(limit, 0)));
        for (Slot slot = 0; slot < scores_.size(); ++slot) {
            const float score = scores_[slot];
            if (score <= best.bar() || (score == 0 && !takes_zeros)) continue;
            if (allowed && !allowed->has(slot)) continue;
            const PageNumber page = view_.slots.at(slot).page;
            if (page != no_page && filter.admits(page)) best.offer({slot, score});
        }
        return best.finish();
    }

private:
    Result<void> add(const QueryLists::Word& word, const LengthNorms& norms) {
        const double rarity = inverse_document_frequency(word.lists.chunks, view_.slots.live());
        const auto worth = static_cast<float>(rarity * word.weight);
        for (const std::string& list : word.lists.lists) {
            const bool is_sound = each_posting(list, scores_.size(), [&](Slot slot, std::uint32_t count) {
                const auto often = static_cast<float>(count);
                scores_[slot] += worth * often / (often + norms(view_.slots.length(slot)));
            });
            if (!is_sound) return damaged("where \"" + word.lists.term + "\" occurs");
        }
        return {};
    }

    Result<Bits> having(const TermLists& term) const {
        Bits bits(scores_.size());
        for (const std::string& list : term.lists) {
            if (!each_posting(list, scores_.size(), [&](Slot slot, auto) { bits.set(slot); })) {
                return damaged("where \"" + term.term + "\" occurs");
            }
        }
        return bits;
    }

    const CollectionView& view_;
    const QueryLists& query_;
    std::vector<float> scores_;
};

}  // namespace

void TermLists::add(std::string_view postings) {
    if (postings.empty()) return;
    chunks += posting_count(postings);
    lists.emplace_back(postings);
}

Result<std::vector<Scored>> best_matches(const CollectionView& view, const QueryLists& query,
                                         const Filter& filter, int limit) {
    Matching matching(view, query);
    TRY(matching.score());
    const PageFilter pages(filter, view.pages);
    std::vector<Scored> found;
    for (const Candidate& candidate : TRY(matching.best(pages, limit))) {
        const SlotTable::Entry& entry = view.slots.at(candidate.slot);
        found.push_back(
            {.chunk = {.page = view.pages.at(entry.page).page, .index = static_cast<int>(entry.index)},
             .score = candidate.score});
    }
    return found;
}

}  // namespace quarry::index
