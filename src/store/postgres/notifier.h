// Processes that share a database learn of each other's changes through NOTIFY. A process notifies so seldom
// that the lock that NOTIFY takes at commit does no harm. When many events gather, each of their groups is
// named once. A lost notification is not sent again: a waiting caller checks the database again after a
// while.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "db/postgres/connection.h"
#include "store/postgres/claim_order.h"
#include "store/store.h"

namespace quarry::store::postgres {

// Events as they are sent, and back. Events that cannot be read are left out. "" if the text is too long.
std::string events_to_text(std::span<const Event> events);
std::vector<Event> events_from_text(std::string_view text);
// The message for gathered events: all of them or, where they are too many or too long, one sign per group.
std::string gathered_to_text(const std::vector<Event>& events);
// The same for jobs that were put in line. If a text cannot be read, the jobs may be in any line.
std::string jobs_to_text(const PutInLine& jobs);
PutInLine jobs_from_text(std::string_view text);

class Notifier {
public:
    // Receives what other processes have done; no events if some may have been missed. Called on a thread of
    // its own.
    using Heard = std::function<void(std::span<const Event> events, const PutInLine& jobs)>;

    Notifier(db::PgConfig config, Heard heard);
    ~Notifier();

    // Tells the other processes soon. Never waits.
    void tell(std::span<const Event> events, const PutInLine& jobs);

private:
    void listen();
    void hear(std::string_view message);
    void speak();
    std::string next_message();

    const db::PgConfig config_;
    const Heard heard_;
    const std::string name_;  // of this process, which ignores its own messages
    int wake_ = -1;           // ends the listening

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Event> events_;
    PutInLine jobs_;
    bool has_news_ = false;
    bool stopping_ = false;
    std::thread listener_, speaker_;
};

}  // namespace quarry::store::postgres
