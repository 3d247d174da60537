// What became of a transaction whose answer was lost. Its number says whether it is still running, but not
// that it was committed: a server that crashed gives the numbers again that it had no time to write down. So
// each transaction that somebody waits for leaves a witness, which is there if and only if all the rest of it
// is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/base_clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "db/postgres/connection.h"

namespace quarry::store::postgres {

struct Witnessed {
    std::int64_t slot = 0;
    std::int64_t count = 0;
    std::string transaction{};  // its number
};

// Safe from many threads. A slot has one user at a time; who does not learn what became of it keeps it.
class Witnesses {
public:
    // Within the transaction, after everything else: written in the round trip that commits it.
    Witnessed write(db::PgConnection& connection, std::string transaction, Timestamp now);
    void give_back(const Witnessed& witnessed);

    // Whether the transaction, which runs no more, was committed.
    static Result<bool> tells_of(db::PgConnection& connection, const Witnessed& witnessed);

private:
    struct Slot {
        std::int64_t id = 0;
        std::int64_t count = 0;
    };
    Guarded<std::vector<Slot>> free_;
};

// Whether the server is still at work on a transaction, perhaps for a client that has gone.
Result<bool> is_running(db::PgConnection& connection, const std::string& transaction);
// Has the server end it soon, one way or the other: nobody will say anything more to it, and what it has
// locked others wait for.
Result<void> end_transaction(db::PgConnection& connection, const std::string& transaction);

}  // namespace quarry::store::postgres
