#include "store/postgres/postgres_upkeep.h"

#include "base/pause.h"
#include "base/thread_name.h"
#include "store/postgres/writing/due.h"
#include "store/postgres/writing/operations.h"

namespace quarry::store::postgres {

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
