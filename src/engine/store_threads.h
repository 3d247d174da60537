// Asks the store for work on a thread of its own, since the answer may have to wait for a disk, and the
// dispatcher must not.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "store/store.h"
#include "work/engine_messages.h"

namespace quarry::work {

class Leaser {
public:
    Leaser(store::Store& store, std::shared_ptr<EngineMailbox> mailbox);

    // What there is room for now; replaces what was asked before. Answered once with LeasesArrived as soon
    // as something is due; NothingDue is posted each time nothing is. Returns the question's number.
    std::uint64_t ask(store::Demand demand);
    // The same, and the store is asked at once, even if nothing has changed since it was asked last.
    std::uint64_t ask_now(store::Demand demand);
    // Asks for nothing more. An answer may still be on its way.
    void withdraw();

    void stop();  // and waits for the thread to end

private:
    void run(std::stop_token stop);
    struct Question {
        store::Demand demand{};
        std::uint64_t number = 0;
    };
    std::optional<Question> next_question(std::stop_token stop);
    void wait(std::uint64_t seen, Timestamp until, std::uint64_t answered);

    store::Store& store_;
    std::shared_ptr<EngineMailbox> mailbox_;
    std::mutex mutex_;
    std::condition_variable_any asked_;
    std::optional<Question> question_;
    std::uint64_t questions_ = 0;
    std::uint64_t urgent_ = 0;       // the last question that cannot wait
    std::stop_source interruption_;  // of the wait for a change
    std::jthread thread_;
};

}  // namespace quarry::work
