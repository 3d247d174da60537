#include "store/postgres/upkeep.h"

#include <random>

#include "base/threads.h"
#include "store/postgres/writing/operations.h"
#include "store/rows/columns.h"

namespace quarry::store::postgres {

namespace {

constexpr db::PgStatement lead_sql{"lead", R"sql(
    insert into quarry.leader(duty, holder, until) values ('maintenance', $1, $3)
    on conflict (duty) do update set holder = excluded.holder, until = excluded.until
    where leader.holder = excluded.holder or leader.until <= $2
    returning 1)sql"};
constexpr db::PgStatement resign_sql{"resign", "delete from quarry.leader where holder = $1"};

}  // namespace

Leadership::Leadership() {
    std::random_device random;
    id_ = static_cast<std::int64_t>((std::uint64_t{random()} << 31) ^ random());
}

Result<bool> Leadership::lead(Ledger& ledger) const {
    const Timestamp until = ledger.now() + lasts;
    return !TRY(ledger.sql().run(lead_sql, db::PgValues(id_, column_of(ledger.now()), column_of(until))))
                .empty();
}

Answer<void> Leadership::resign(Ledger& ledger) const {
    TRY(ledger.sql().run(resign_sql, db::PgValues(id_)));
    return Result<void>{};
}

namespace {

constexpr std::chrono::milliseconds soon_enough{100}, often_enough{1'000};

}  // namespace

Upkeep::Upkeep(Transactor& transactor, const Leadership& leadership, Partitions& partitions,
               Maintenance maintenance)
    : transactor_(transactor),
      leadership_(leadership),
      partitions_(partitions),
      begun_saver_([this](std::stop_token stop) { save_begun(std::move(stop)); }) {
    if (maintenance == Maintenance::by_itself)
        keeper_ = std::jthread([this](std::stop_token stop) { maintain(std::move(stop)); });
}

Upkeep::~Upkeep() {
    begun_saver_ = {};
    keeper_ = {};
    (void)transactor_.run<void>(Durability::later,
                                [&](Ledger& ledger) { return leadership_.resign(ledger); });
}

// A job that kills its process shall be counted as having done so, though saying that it begins waits for
// nothing. Most jobs have ended before anything is written.
void Upkeep::save_begun(std::stop_token stop) {
    name_this_thread("pg-begun");
    while (pause_for(soon_enough, stop)) {
        if (transactor_.process().begun.unsaved(soon_enough).empty()) continue;
        (void)transactor_.run<void>(Durability::later, [&](Ledger& ledger) -> Answer<void> {
            TRY(postgres::save_begun(ledger, soon_enough));
            return Result<void>{};
        });
    }
}

// Also where nobody asks for work: delays end, and what the dead held goes back.
void Upkeep::maintain(std::stop_token stop) {
    name_this_thread("pg-keeper");
    while (pause_for(often_enough, stop)) {
        const auto leads = transactor_.run<bool>(Durability::later, [&](Ledger& ledger) -> Answer<bool> {
            const bool is_leader = TRY(leadership_.lead(ledger));
            if (is_leader) TRY(postgres::maintain(ledger));
            return is_leader;
        });
        if (leads && *leads) partitions_.make_coming();
    }
}

}  // namespace quarry::store::postgres
