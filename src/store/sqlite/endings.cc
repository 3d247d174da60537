#include "store/sqlite/endings.h"

namespace quarry::store {

namespace {

constexpr int http_not_found = 404;
constexpr int http_gone = 410;

void count_end(GroupCounters& counters, const UrlEnd& end) {
    switch (end.state) {
        case UrlState::completed: ++counters.completed; break;
        case UrlState::failed:
            ++counters.failed;
            if (end.status == http_not_found || end.status == http_gone) ++counters.gone;
            break;
        case UrlState::skipped: ++counters.skipped; break;
        case UrlState::queued:
        case UrlState::running:
        case UrlState::cancelled: break;
    }
}

}  // namespace

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
    --(was == UrlState::running ? group->counters.running : group->counters.queued);
    count_end(group->counters, end);
    ledger.touch(*group);
    if (end.state == UrlState::completed || end.state == UrlState::failed) {
        ledger.tell({.what = end.state == UrlState::completed ? Event::What::page : Event::What::url_failed,
                     .group = GroupId(row.group),
                     .id = JobId(row.id),
                     .url = row.url,
                     .status = end.status,
                     .state = end.state == UrlState::completed ? JobState::completed : JobState::failed});
    }
    return {};
}

}  // namespace quarry::store
