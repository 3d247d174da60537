// What a process does for the store beside its work: it writes down which handlers have begun, and, if it
// leads, does what is due by itself and makes the partitions of the coming days.
#pragma once

#include <cstdint>
#include <stop_token>
#include <thread>

#include "store/postgres/upkeep.h"
#include "store/postgres/partitions.h"
#include "store/postgres/transactor.h"

namespace quarry::store::postgres {

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
