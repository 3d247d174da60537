// Runs operations as transactions: again when PostgreSQL asks for that, and once more when the connection
// was lost before anything was decided. A transaction that somebody waits for leaves a witness, a row that
// is there if and only if all the rest of it is. It tells what became of a transaction whose answer was
// lost: a transaction's number cannot, because a server that crashed gives out some numbers again.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "db/postgres/connection.h"
#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

// What became of a transaction whose answer was lost. Its number says whether it is still running, but not
// that it was committed: a server that crashed gives the numbers again that it had no time to write down. So
// each transaction that somebody waits for leaves a witness, which is there if and only if all the rest of it
// is.

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

// Runs operations as transactions: again when PostgreSQL asks for that, and once more when the connection was
// lost before anything was decided.

enum class Durability : std::uint8_t {
    later,   // a power cut may undo it: claims, beats
    before,  // durable before it is answered
    fenced,  // the same, and doing it twice is harmless
};

class Transactor {
public:
    // What was committed is told to `tell`, which may be called from any thread.
    using Tell = std::function<void(std::span<const Event> events, const News& news)>;

    Transactor(const db::PgConfig& config, int connections, const StoreLimits& limits, const Clock* clock,
               Tell tell);

    // What an operation wants to know from the start, in the round trip that begins its transaction.
    using Opening = std::function<void(db::PgBatch&)>;

    template <typename T, typename Operation>
    Result<T> run(Durability durability, Operation operation, const Opening& opening = {}) {
        for (int attempt = 0;; ++attempt) {
            std::optional<Result<T>> answer;
            const auto body = [&](Ledger& ledger) -> Result<bool> {
                answer = TRY(operation(ledger));
                return answer->has_value();
            };
            const Attempt tried = try_once(durability, opening, body);
            if (tried.is_done) return *std::move(answer);
            const bool may_retry = tried.may_retry || has_learnt_names();
            if (!may_retry || attempt >= most_attempts) return std::unexpected(*tried.error);
            pause(attempt);
        }
    }

    // A connection outside of transactions.
    Result<db::PgPool::Borrowed> borrow() { return pool_.borrow(); }
    Process& process() { return process_; }
    Timestamp now() const;
    // The time is a test's, not the server's.
    bool has_own_clock() const { return clock_ != nullptr; }
    // What the server's clock says; learnt anew with each transaction.
    void set_clock(Timestamp now) { offset_ms_ = (now - wall_clock_.now()).count(); }
    // Makes the rest of a transaction so. Returns the place of its answer, which is the time.
    std::size_t add_settings(db::PgBatch& batch, Durability durability) const;

private:
    static constexpr int most_attempts = 12;

    struct Attempt {
        bool is_done = false;  // the operation has answered, and what it did is committed, or nothing was
        bool may_retry = false;
        std::optional<Error> error{};
    };
    using Body = std::function<Result<bool>(Ledger&)>;  // false: refused, nothing is to be written

    struct Begun {
        Timestamp now{};
        std::string transaction{};          // its number, if somebody waits for it
        std::vector<db::PgRows> answers{};  // of the opening
    };

    Attempt try_once(Durability durability, const Opening& opening, const Body& body);
    Attempt failed(db::PgConnection& connection, Error error);
    Attempt commit(Ledger& ledger, db::PgTransaction& transaction, Durability durability);
    Attempt ask_what_became(const Witnessed& witnessed, Error error);
    enum class CommitResult : std::uint8_t { committed, lost, unknown };
    CommitResult commit_result_of(const Witnessed& witnessed);
    Result<Begun> begin(db::PgConnection& connection, Durability durability, const Opening& opening);
    // The attempt needed a name that it could not ask for; it is known now.
    bool has_learnt_names() {
        return process_.names.answer([this] { return pool_.borrow(); }).value_or(false);
    }
    void pause(int attempt);

    db::PgPool pool_;
    const bool is_pooled_;
    Process process_;
    Witnesses witnesses_;
    const Clock* clock_;  // of a test; nullptr: the server's
    Tell tell_;
    // How far the server's clock is from ours.
    std::atomic<std::int64_t> offset_ms_{0};
    WallClock wall_clock_;
};

}  // namespace quarry::store::postgres
