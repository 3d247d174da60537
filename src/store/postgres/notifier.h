// How processes that share a database learn of each other's changes: NOTIFY, seldom enough that its lock at
// commit is nobody's concern. Where many events gather, each of their groups is told of once. What is lost is
// not sent again: whoever waits looks again after a while.
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

// Events as they are sent, and the way back; what cannot be read is left out. "" if they are too long.
std::string events_to_text(std::span<const Event> events);
std::vector<Event> events_from_text(std::string_view text);
// What is sent of events that gathered: all, or where they are too many or too long, a sign for each group.
std::string gathered_to_text(const std::vector<Event>& events);
// The same of what was put in line. What cannot be read may be anywhere.
std::string jobs_to_text(const PutInLine& jobs);
PutInLine jobs_from_text(std::string_view text);

class Notifier {
public:
    // What others have done; without any events when some may have been missed. On a thread of its own.
    using Heard = std::function<void(std::span<const Event> events, const PutInLine& jobs)>;

    Notifier(db::PgConfig config, Heard heard);
    ~Notifier();

    // Tells the others, soon. Never waits.
    void tell(std::span<const Event> events, const PutInLine& jobs);

private:
    void listen();
    void hear(std::string_view message);
    void speak();
    std::string next_message();

    const db::PgConfig config_;
    const Heard heard_;
    const std::string name_;  // of this process, to tell its own voice
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
