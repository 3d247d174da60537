// Which process does what is to be done once for all: waking what is due, taking back what the dead held,
// removing what is old. Any may lead, and one does: until it says farewell, or is not heard of for a few
// seconds. Nothing goes wrong if two do it at once, or nobody for a while: rows are locked, and whoever asks
// for work does what is long overdue.
#pragma once

#include <chrono>
#include <cstdint>

#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

class Leadership {
public:
    Leadership();

    std::int64_t id() const { return id_; }  // of this process
    // True if this process leads from now on, for a while.
    Result<bool> lead(Ledger& ledger) const;
    Answer<void> resign(Ledger& ledger) const;

    static constexpr std::chrono::milliseconds lasts{10'000};
    // Who leads has so much time to do what is due before others do.
    static constexpr std::chrono::milliseconds grace{100};

private:
    std::int64_t id_;
};

}  // namespace quarry::store::postgres
