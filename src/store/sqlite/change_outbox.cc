#include "store/sqlite/change_outbox.h"

#include "store/sqlite/columns.h"
#include "store/sqlite/lease_life.h"

namespace quarry::store {

namespace {

Result<bool> run(Ledger& ledger, std::string_view sql, const Job& job, std::int64_t value) {
    db::Statement statement = TRY(ledger.connection().prepare(sql));
    TRY(statement.bind(number(job.id), value).run());
    return ledger.connection().changes() > 0;
}

constexpr std::string_view cancel = "UPDATE outbox SET state = 4, finished_at = ?2 WHERE id = ?1";
constexpr std::string_view set_state = "UPDATE outbox SET state = ?2 WHERE id = ?1";
constexpr std::string_view set_priority = "UPDATE outbox SET priority = ?2 WHERE id = ?1";
constexpr std::string_view renew =
    "UPDATE outbox SET state = ?2, attempts = 0, run_at = NULL, finished_at = NULL WHERE id = ?1";
constexpr std::string_view forget = "DELETE FROM outbox WHERE id = ?1 AND id = ?2";

}  // namespace

Result<bool> change_outbox(Ledger& ledger, const BulkRequest& request, const Job& job) {
    ledger.wake();
    switch (request.change) {
        case BulkChange::cancel:
            if (ledger.leases.contains(number(job.id))) TRY(revoke(ledger, job.id));
            return run(ledger, cancel, job, column_of(ledger.now()));
        case BulkChange::pause: return run(ledger, set_state, job, static_cast<int>(JobState::paused));
        case BulkChange::resume: return run(ledger, set_state, job, static_cast<int>(JobState::queued));
        case BulkChange::retry: return run(ledger, renew, job, static_cast<int>(JobState::queued));
        case BulkChange::clear: return run(ledger, forget, job, number(job.id));
        case BulkChange::reprioritise: return run(ledger, set_priority, job, request.priority);
    }
    return false;
}

}  // namespace quarry::store
