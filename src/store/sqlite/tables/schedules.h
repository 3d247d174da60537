// Jobs that are added again and again. A due time is taken at most once: the next time and the added job are
// one transaction. Times that passed while nothing ran count once.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/cron.h"
#include "store/sqlite/writer.h"
#include "store/store.h"

namespace quarry::store {

class Ledger;

// In memory as in the table.
class ScheduleTable {
public:
    struct Entry {
        Schedule schedule{};
        CronExpression cron;
        Timestamp next_at{};
    };

    Result<void> load(db::Connection& connection);
    std::map<std::string, Entry>& entries() { return entries_; }
    std::optional<Timestamp> next() const;

private:
    std::map<std::string, Entry> entries_;
};

Answer<void> set_schedule(Ledger& ledger, const Schedule& schedule);
Answer<bool> remove_schedule(Ledger& ledger, const std::string& name);
// Adds what is due.
Result<void> run_schedules(Ledger& ledger);

}  // namespace quarry::store
