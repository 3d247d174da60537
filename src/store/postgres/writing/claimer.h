// Gives workers what is due, and takes back what a claim took whose answer was lost.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/guarded.h"
#include "store/postgres/writing/due.h"
#include "store/postgres/writing/last_look.h"
#include "store/postgres/upkeep.h"
#include "store/postgres/writing/postgres_leasing.h"
#include "store/postgres/transactor.h"

namespace quarry::store::postgres {

class Claimer {
public:
    Claimer(Transactor& transactor, const Leadership& leadership)
        : transactor_(transactor), leadership_(leadership) {}

    // As Store::lease.
    Result<Leased> lease(const Demand& demand);

private:
    enum class WhatIsDue : std::uint8_t { first, is_done };
    Result<std::optional<Leased>> claim(const Demand& demand, WhatIsDue if_due);
    bool is_for_others(const Due& due) const;
    Result<void> give_back_unconfirmed();

    Transactor& transactor_;
    const Leadership& leadership_;
    Guarded<std::vector<Claim>> unconfirmed_;
    LastLook last_look_;
};

}  // namespace quarry::store::postgres
