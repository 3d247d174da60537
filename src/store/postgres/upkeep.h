// What a process does for the store beside its work: it writes down which handlers have begun, and, if it
// leads, it does what is due and makes the partitions of the coming days. Any process may lead, and one
// does, until it resigns or is not heard of for a few seconds. Nothing goes wrong if two lead at once, or
// none for a while: rows are locked, and a worker that asks for work does what is long overdue.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <thread>

#include "store/postgres/ledger.h"
#include "store/postgres/partitions.h"
#include "store/postgres/transactor.h"

namespace quarry::store::postgres {

// Decides which process leads. The leader does the work that is needed once for all processes: it wakes what
// is due, takes back the leases of dead workers, and removes what is old.

class Leadership {
public:
    Leadership();

    std::int64_t id() const { return id_; }  // of this process
    // True if this process leads now. It leads for `lasts`.
    Result<bool> lead(Ledger& ledger) const;
    Answer<void> resign(Ledger& ledger) const;

    static constexpr std::chrono::milliseconds lasts{10'000};
    // The leader has this much time to do what is due before other processes do it.
    static constexpr std::chrono::milliseconds grace{100};

private:
    std::int64_t id_;
};

// The threads that write down which handlers have begun and, in the leading process, do what is due and make
// the partitions of the coming days.

enum class Maintenance : std::uint8_t { by_itself, when_asked };

class Upkeep {
public:
    Upkeep(Transactor& transactor, const Leadership& leadership, Partitions& partitions,
           Maintenance maintenance);
    ~Upkeep();  // another process may lead at once

private:
    void save_begun(std::stop_token stop);
    void maintain(std::stop_token stop);

    Transactor& transactor_;
    const Leadership& leadership_;
    Partitions& partitions_;
    std::jthread begun_saver_, keeper_;
};

}  // namespace quarry::store::postgres
