#include "store/sqlite/writing/endings.h"

namespace quarry::store {

Result<void> end_job(Ledger& ledger, const JobRow& row, const JobEnd& end) {
    TRY(ledger.rows().jobs.move_to_done(row.id, end));
    ledger.count_open_job(row.place.owner, row.place.group, -1);
    std::optional<GroupId> group;
    if (row.place.group != 0) group = GroupId(row.place.group);
    ledger.tell({.what = Event::What::job_ended, .group = group, .id = JobId(row.id), .state = end.state});
    return {};
}

Result<void> end_url(Ledger& ledger, const UrlRow& row, const UrlEnd& end, UrlState was) {
    TRY(ledger.rows().urls.end(row.id, end));
    OpenGroup* group = ledger.group(row.group);
    if (!group) return {};
    count_url(group->counters, was, 0, -1);
    count_url(group->counters, end.state, end.status, 1);
    ledger.touch(*group);
    if (end.state == UrlState::completed) ledger.count_page(group->owner);
    if (end.state == UrlState::completed || end.state == UrlState::failed) {
        ledger.tell({.what = end.state == UrlState::completed ? Event::What::page : Event::What::url_failed,
                     .group = GroupId(row.group),
                     .id = JobId(row.id),
                     // Who is told may write it down.
                     .url = group->pages.zero_retention ? std::string() : row.url,
                     .status = end.status,
                     .state = end.state == UrlState::completed ? JobState::completed : JobState::failed});
    }
    return {};
}

}  // namespace quarry::store
