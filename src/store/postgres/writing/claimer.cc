#include "store/postgres/writing/claimer.h"

#include <utility>

#include "store/postgres/writing/operations.h"

namespace quarry::store::postgres {

bool Claimer::is_for_others(const Due& due) const {
    if (!due.since || !due.leader || *due.leader == leadership_.id()) return false;
    return transactor_.now() - *due.since < Leadership::grace;
}

Result<Leased> Claimer::lease(const Demand& demand) {
    TRY(give_back_unconfirmed());
    auto leased = TRY(claim(demand, WhatIsDue::first));
    if (leased) return *std::move(leased);
    const auto do_it = [&](Ledger& ledger) -> Answer<void> {
        TRY(leadership_.lead(ledger));
        return do_what_is_due(ledger, demand.worker);
    };
    TRY(transactor_.run<void>(Durability::later, do_it));
    return *TRY(claim(demand, WhatIsDue::is_done));
}

// Nothing if something is due that is ours to do first. A claim whose answer is lost may have been made all
// the same. Nobody works on what it took, and since its worker lives, nobody would take it back.
Result<std::optional<Leased>> Claimer::claim(const Demand& demand, WhatIsDue if_due) {
    Claim attempt;
    const auto set_aside = [&] {
        if (attempt.leases.empty()) return;
        unconfirmed_.with([&](auto& claims) { claims.push_back(std::exchange(attempt, {})); });
    };
    Process& process = transactor_.process();
    Leasing leasing(process, demand);
    // A clock that a test moves has no moments.
    const std::optional<Due> known =
        transactor_.has_own_clock() ? std::nullopt : last_look_.at(transactor_.now());
    const auto ask = [&](db::PgBatch& batch) {
        if (!known) look_what_is_due(batch);
        const bool at_once = known && !known->has_backlog;
        leasing.ask(batch, at_once ? Leasing::Begin::at_once : Leasing::Begin::later);
    };
    const auto take = [&](Ledger& ledger) -> Answer<std::optional<Leased>> {
        set_aside();
        std::vector<db::PgRows> asked = ledger.take_opening();
        Due due = known ? *known : postgres::what_is_due(asked[0], process.limits, ledger.now());
        if (!known) {
            last_look_.set(due);
            asked.erase(asked.begin());
        }
        if (is_for_others(due)) {
            due.next = ledger.now() + Leadership::grace;
        } else if (due.now && if_due == WhatIsDue::first) {
            return Result<std::optional<Leased>>(std::nullopt);
        }
        Result<Leased> answer = TRY(leasing.lease(ledger, asked, due.has_backlog));
        if (!answer) return Result<std::optional<Leased>>(std::unexpected(answer.error()));
        attempt = claim_of(ledger, *answer);
        answer->next_due = earlier(answer->next_due, due.next);
        return Result<std::optional<Leased>>(*std::move(answer));
    };
    auto leased = transactor_.run<std::optional<Leased>>(Durability::later, take, ask);
    if (!leased) set_aside();
    return leased;
}

Result<void> Claimer::give_back_unconfirmed() {
    const auto give_back = [&](const Claim& claim) -> Result<bool> {
        {
            auto connection = TRY(transactor_.borrow());
            if (TRY(is_running(*connection, claim.transaction))) {
                TRY(end_transaction(*connection, claim.transaction));
                return false;
            }
        }
        TRY(transactor_.run<void>(Durability::later,
                                  [&](Ledger& ledger) { return release(ledger, claim.leases); }));
        return true;
    };
    Result<void> all;
    for (Claim& claim : unconfirmed_.with([](auto& waiting) { return std::exchange(waiting, {}); })) {
        const auto is_back = give_back(claim);
        if (is_back && *is_back) continue;
        if (!is_back) all = std::unexpected(is_back.error());
        unconfirmed_.with([&](auto& waiting) { waiting.push_back(std::move(claim)); });
    }
    return all;
}

}  // namespace quarry::store::postgres
