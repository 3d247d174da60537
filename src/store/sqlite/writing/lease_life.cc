#include <algorithm>
#include <utility>

#include "store/rows/columns.h"
#include "store/rules/transitions.h"
#include "store/sqlite/writing/operations.h"

namespace quarry::store {

namespace {

// Nothing if it goes back to its line; else why it has gone back too often.
std::optional<std::string_view> count_return(const StoreLimits& limits, int& stalls, int& snoozes,
                                             bool stalled) {
    if (stalled) return ++stalls > limits.max_stalls ? std::optional(worker_timed_out) : std::nullopt;
    return ++snoozes > limits.max_snoozes ? std::optional(put_off_too_often) : std::nullopt;
}

// What the last error of one that goes back is; nothing: it stays.
std::optional<std::string_view> note_of_return(bool stalled) {
    return stalled ? std::optional(worker_timed_out) : std::nullopt;
}

Result<void> take_back_job(Ledger& ledger, JobRow row, const Lease& lease, bool stalled) {
    if (const auto why = count_return(ledger.limits(), row.stalls, row.snoozes, stalled)) {
        return end_job(ledger, row,
                       {.state = JobState::failed,
                        .attempts = row.attempts,
                        .stalls = row.stalls,
                        .started_at = lease.leased_at,
                        .finished_at = ledger.now(),
                        .error = *why});
    }
    // One that never began waits again, and may again wait for too long.
    if (!stalled && row.start_by) ledger.start_limits.push(*row.start_by, row.id);
    TRY(ledger.rows().jobs.requeue(row, note_of_return(stalled)));
    if (row.state == JobState::queued) ledger.put_in_line(row);
    return {};
}

Result<void> take_back_url(Ledger& ledger, UrlRow row, bool stalled) {
    OpenGroup* group = ledger.group(row.group);
    if (!group) return {};
    if (const auto why = count_return(ledger.limits(), row.stalls, row.snoozes, stalled)) {
        return end_url(ledger, row,
                       {.state = UrlState::failed,
                        .attempts = row.attempts,
                        .stalls = row.stalls,
                        .finished_at = ledger.now(),
                        .note = *why},
                       UrlState::running);
    }
    TRY(ledger.rows().urls.requeue(row, note_of_return(stalled)));
    --group->counters.running;
    ++group->counters.queued;
    ledger.touch(*group);
    ledger.put_in_line(*group, row);
    return {};
}

Result<void> save_progress(Ledger& ledger, const Progress& progress, std::vector<JobId>& lost) {
    const Lease* lease = ledger.leases.find(progress.lease.id);
    if (!lease || lease->token != progress.lease.token) {
        lost.push_back(progress.lease.id);
        return {};
    }
    if (lease->is_url() || lease->is_change()) return {};
    return ledger.rows().jobs.set_progress(number(progress.lease.id), progress.percent);
}

// Returns what it held.
Result<std::vector<JobId>> take_back_all(Ledger& ledger, WorkerId worker) {
    auto held = ledger.leases.ids_where([&](const Lease& lease) { return lease.worker == worker; });
    for (const JobId id : held) TRY(take_back(ledger, id, Cause::worker_died));
    return held;
}

Result<std::string> name_of_worker(Ledger& ledger, WorkerId worker) {
    db::Statement find = TRY(ledger.connection().prepare("SELECT name FROM worker WHERE id = ?1"));
    find.bind(number(worker));
    return TRY(find.step()) ? std::string(find.text(0)) : std::string();
}

Result<void> save_beat(Ledger& ledger, WorkerId worker) {
    db::Statement save = TRY(ledger.connection().prepare("UPDATE worker SET beat_at = ?2 WHERE id = ?1"));
    return save.bind(number(worker), column_of(ledger.now())).run();
}

}  // namespace

Result<void> take_back(Ledger& ledger, JobId id, Cause cause) {
    const Lease lease = *ledger.leases.find(id);
    const bool stalled = cause == Cause::worker_died && ledger.begun().contains(number(lease.token));
    TRY(ledger.remove_lease(id));
    if (lease.is_change()) return stalled ? stall_change(ledger, id) : give_back_change(ledger, id);
    if (lease.is_url()) {
        const auto row = TRY(ledger.rows().urls.find(number(id)));
        return row ? take_back_url(ledger, *row, stalled) : Result<void>{};
    }
    const auto row = TRY(ledger.rows().jobs.find(number(id)));
    return row ? take_back_job(ledger, *row, lease, stalled) : Result<void>{};
}

Result<void> revoke(Ledger& ledger, JobId id) {
    if (Worker* worker = ledger.workers.find(ledger.leases.find(id)->worker)) worker->lost.push_back(id);
    return ledger.remove_lease(id);
}

Result<void> bury_dead_workers(Ledger& ledger) {
    for (const WorkerId dead : ledger.workers.bury(ledger.now(), ledger.limits().lease_duration)) {
        const auto held = TRY(take_back_all(ledger, dead));
        if (held.empty()) continue;
        for (const JobId id : held) ledger.workers.find(dead)->lost.push_back(id);
        ledger.tell({.what = Event::What::worker_died,
                     .url = TRY(name_of_worker(ledger, dead)),
                     .status = static_cast<int>(held.size())});
    }
    return {};
}

Answer<void> retire_worker(Ledger& ledger, WorkerId worker) {
    TRY(take_back_all(ledger, worker));
    db::Statement forget = TRY(ledger.connection().prepare("DELETE FROM worker WHERE id = ?1"));
    TRY(forget.bind(number(worker)).run());
    ledger.workers.remove(worker);
    return Result<void>{};
}

Answer<WorkerId> register_worker(Ledger& ledger, const std::string& name) {
    const std::int64_t id = ledger.next_id();
    db::Statement insert = TRY(
        ledger.connection().prepare("INSERT INTO worker(id, name, epoch, beat_at) VALUES (?1, ?2, ?3, ?4)"));
    TRY(insert.bind(id, name, ledger.epoch(), column_of(ledger.now())).run());
    ledger.workers.add(WorkerId(id), ledger.now());
    return WorkerId(id);
}

Answer<std::vector<JobId>> beat(Ledger& ledger, WorkerId id, std::span<const Progress> progress) {
    if (!ledger.workers.find(id)) return refuse<std::vector<JobId>>(ErrorCode::not_found, "unknown worker");
    TRY(bury_dead_workers(ledger));
    Worker& worker = *ledger.workers.find(id);
    worker.beat_at = ledger.now();
    worker.is_dead = false;
    std::vector<JobId> lost = std::exchange(worker.lost, {});
    for (const Progress& entry : progress) TRY(save_progress(ledger, entry, lost));
    TRY(save_beat(ledger, id));
    std::ranges::sort(lost);
    const auto repeated = std::ranges::unique(lost);
    lost.erase(repeated.begin(), repeated.end());
    return lost;
}

Answer<void> release(Ledger& ledger, std::span<const LeaseRef> leases) {
    for (const LeaseRef& ref : leases) {
        const Lease* lease = ledger.leases.find(ref.id);
        if (lease && lease->token == ref.token) TRY(take_back(ledger, ref.id, Cause::released));
    }
    return Result<void>{};
}

}  // namespace quarry::store
