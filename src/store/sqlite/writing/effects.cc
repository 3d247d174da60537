#include "store/sqlite/writing/effects.h"

#include "store/sqlite/writing/adding.h"

namespace quarry::store {

namespace {

Result<void> apply_to_group(Ledger& ledger, OpenGroup& group, const Outcome& outcome) {
    TRY(admit(ledger, group, outcome.found));
    if (!outcome.roots.empty()) TRY(ledger.rows().groups.add_roots(group.id, outcome.roots));
    std::int64_t removed = 0;
    for (const UrlKey& key : outcome.gone)
        removed += TRY(ledger.rows().pages.remove(group.pages, key)) ? 1 : 0;
    if (outcome.settle) {
        removed += TRY(ledger.rows().pages.settle(group.pages, outcome.settle->after_misses));
    }
    if (removed > 0) {
        group.counters.removed += removed;
        ledger.touch(group);
    }
    return {};
}

}  // namespace

Result<void> apply_effects(Ledger& ledger, OpenGroup* group, const Outcome& outcome) {
    if (group) TRY(apply_to_group(ledger, *group, outcome));
    for (const NewJob& job : outcome.jobs) {
        // A job for a group that is over would never run.
        if (!job.group || ledger.group(number(*job.group))) TRY(insert_job(ledger, job));
    }
    for (const HostRule& rule : outcome.hosts) TRY(ledger.rows().hosts.set_rule(rule));
    return {};
}

Result<SavedPages> save_pages(Ledger& ledger, OpenGroup& group, JobId url, std::span<const PageWrite> pages) {
    SavedPages saved;
    for (const PageWrite& page : pages) {
        const Result<PageChange> change = ledger.rows().pages.write(group.pages, url, page);
        if (!change && change.error().code == ErrorCode::not_found) {
            saved.must_fetch_again = true;
            return saved;
        }
        if (!change) return std::unexpected(change.error());
        if (!saved.content) saved.content = change->content;
        group.counters.unchanged += change->unchanged ? 1 : 0;
        group.counters.duplicates += page.near_duplicate_of ? 1 : 0;
        group.counters.bytes += page.facts.body_bytes;
    }
    ledger.touch(group);
    return saved;
}

}  // namespace quarry::store
