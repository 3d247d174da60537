#include "store/sqlite/writing/page_changes.h"

#include <algorithm>

#include "store/rules/transitions.h"
#include "store/sqlite/tables/secure_delete.h"

namespace quarry::store {

namespace {

// A page that was never indexed is left alone, unless its own crawl is asked for. So is one whose change
// still waits. One that is leased just now may be read already: it is indexed once more.
Result<bool> is_to_be_indexed(Ledger& ledger, const PageFilter& filter, IndexAgain which,
                              const FoundPage& page) {
    if (page.collection.starts_with('#') || !page.is_stored) return false;
    if (!page.outbox) return filter.group.has_value();
    const auto change = TRY(ledger.outbox().rows.find(*page.outbox));
    // One that is done may have been swept.
    if (which == IndexAgain::missing && *page.outbox != given_up)
        return change && (change->state == JobState::failed || change->state == JobState::cancelled);
    if (!change || ledger.leases.contains(change->id)) return true;
    return change->state != JobState::queued && change->state != JobState::paused;
}

Result<int> priority_of(Ledger& ledger, const PageFilter& filter) {
    if (!filter.group) return priority_normal;
    if (const OpenGroup* group = ledger.group(number(*filter.group))) return group->priority;
    const auto group = ledger.rows().groups.load(number(*filter.group));
    return group ? group->priority : priority_normal;
}

}  // namespace

Answer<PagesChanged> forget_pages(Ledger& ledger, const PageFilter& filter, const PagePlace& place) {
    PageStep step = TRY(pages_after(ledger.connection(), filter, place));
    PagesChanged changed{.next = std::move(step.next)};
    const bool is_private = std::ranges::any_of(
        step.pages, [](const FoundPage& page) { return page.collection.starts_with('#'); });
    const SecureDelete secure = TRY(SecureDelete::begin(ledger.connection(), is_private));
    for (const FoundPage& page : step.pages) {
        changed.count += TRY(ledger.rows().pages.forget(page)) ? 1 : 0;
    }
    ledger.wake();
    return changed;
}

Answer<PagesChanged> index_pages_again(Ledger& ledger, const PageFilter& filter, IndexAgain which,
                                       const PagePlace& place) {
    PageStep step = TRY(pages_after(ledger.connection(), filter, place));
    PagesChanged changed{.next = std::move(step.next)};
    const int priority = TRY(priority_of(ledger, filter));
    for (const FoundPage& page : step.pages) {
        if (!TRY(is_to_be_indexed(ledger, filter, which, page))) continue;
        const PageOwner owner{
            .group = filter.group.value_or(GroupId{}), .collection = page.collection, .priority = priority};
        const auto former = TRY(ledger.rows().pages.index_again(owner, page));
        // It will be counted once more.
        const bool was_counted = former && former->state == JobState::completed && former->content &&
                                 former->group == number(owner.group);
        if (was_counted && former->group != 0) --ledger.tally(former->group).indexed;
        ++changed.count;
    }
    ledger.wake();
    return changed;
}

Answer<void> let_group_index(Ledger& ledger, GroupId id) {
    if (!TRY(ledger.rows().groups.state_of(number(id)))) {
        return refuse<void>(ErrorCode::not_found, "there is no such crawl");
    }
    TRY(ledger.rows().groups.set_index_pages(number(id)));
    if (OpenGroup* group = ledger.group(number(id))) group->pages.index_pages = true;
    return Result<void>{};
}

}  // namespace quarry::store
