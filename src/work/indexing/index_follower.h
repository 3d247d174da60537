// Keeps the replica of a shared index up to date (index/postgres): waits for PostgreSQL to tell of changes,
// takes them over, and renews the builtin spaces, which each replica has of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "base/threads.h"
#include "db/postgres/connection.h"
#include "index/postgres/shared_index.h"
#include "work/indexing/builtin_spaces.h"

namespace quarry::work {

// For index::Follower: folds the chunks of builtin collections into their spaces.
index::Follower::Prepare fold_into(Spaces& spaces);

class IndexFollower {
public:
    struct Parts {
        index::Follower& follower;  // with fold_into(spaces)
        Spaces& spaces;
        index::EmbeddedIndex& replica;
        db::PgConfig database{};                      // to listen to
        std::function<void(std::string_view)> log{};  // told when it cannot follow, and when it can again
    };
    // All outlive it.
    static Result<std::unique_ptr<IndexFollower>> open(Parts parts);
    ~IndexFollower();

    // Looks at the log from now on: everything that is there when this is called belongs to the look whose
    // number is returned. Any thread, as all that follow.
    std::uint64_t look();
    // That look is over, and every space that was due is in use.
    bool is_settled(std::uint64_t look) const;

    // Whether more pages may come soon. While they may, only a space that is far too small is renewed.
    void expect_more(bool more);

    // Is called whenever something may have settled, until the next call of this.
    void on_progress(std::function<void()> progress);

private:
    explicit IndexFollower(Parts parts) : parts_(std::move(parts)) {}
    void run(std::stop_token stop);
    void take_over(std::stop_token stop);
    void report(const Result<void>& result);
    void report_progress();
    void wait();
    bool is_quiet() const;

    // What is known of the log.
    struct Looks {
        std::uint64_t asked = 1, done = 0;
        std::uint64_t awaited = 0;  // somebody waits for this one: nothing more is to come before it
        bool more_is_expected = false;
        std::chrono::steady_clock::time_point last_change{};
    };

    const Parts parts_;
    WakeSignal wake_;
    Guarded<Looks> looks_;
    Guarded<std::function<void()>> progress_;
    std::unique_ptr<SpaceKeeper> keeper_;
    // The thread's own.
    std::optional<db::PgListener> listener_;
    std::string trouble_;  // what the log was told last
    std::jthread thread_;
};

}  // namespace quarry::work
