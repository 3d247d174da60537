#include "store/postgres/writing/effects.h"

#include "store/rows/columns.h"
#include "store/postgres/writing/adding.h"
#include "store/postgres/tables/pages.h"
#include "store/postgres/tables/urls.h"

namespace quarry::store::postgres {

namespace {

constexpr db::PgStatement set_rule_sql{
    "set_host_rule", "update quarry.host set connections = $2, delay = $3, not_before = $4 where id = $1"};

Result<void> apply_to_group(Ledger& ledger, OpenGroup& group, const Outcome& outcome) {
    TRY(admit(ledger, group, outcome.found));
    if (!outcome.roots.empty()) TRY(add_roots(ledger.sql(), group.id, outcome.roots));
    std::int64_t removed = 0;
    for (const UrlKey& key : outcome.gone) removed += TRY(remove_page(ledger, group.pages, key)) ? 1 : 0;
    if (outcome.settle) removed += TRY(settle_pages(ledger, group.pages, outcome.settle->after_misses));
    if (removed > 0) {
        group.counters.removed += removed;
        ledger.touch(group);
    }
    return {};
}

Result<void> set_rule(Ledger& ledger, const HostRule& rule) {
    const std::int64_t host = TRY(ledger.names().hosts({&rule.host, 1})).front();
    TRY(ledger.sql().run(set_rule_sql, db::PgValues(host, rule.connections, std::int64_t{rule.delay.count()},
                                                    column_of(rule.not_before))));
    return {};
}

}  // namespace

Result<void> apply_effects(Ledger& ledger, OpenGroup* group, const Outcome& outcome) {
    if (group) TRY(apply_to_group(ledger, *group, outcome));
    std::vector<NewJob> jobs;
    for (const NewJob& job : outcome.jobs) {
        // A job for a group that is over would never run.
        if (!job.group || TRY(ledger.group(number(*job.group)))) jobs.push_back(job);
    }
    TRY(insert_jobs(ledger, std::move(jobs)));
    for (const HostRule& rule : outcome.hosts) TRY(set_rule(ledger, rule));
    return {};
}

Result<SavedPages> save_pages(Ledger& ledger, OpenGroup& group, std::int64_t url,
                              std::span<const PageWrite> pages) {
    SavedPages saved;
    for (const PageWrite& page : pages) {
        const Result<PageChange> change = write_page_of_url(ledger, group.pages, url, page);
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

}  // namespace quarry::store::postgres
