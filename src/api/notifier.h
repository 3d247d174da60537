// News of crawls for those who wait for them or follow them. The store tells it what has happened; it calls
// whoever asked, on its own thread.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <thread>
#include <variant>
#include <vector>

#include "base/queues.h"
#include "model/ids.h"
#include "store/store.h"

namespace quarry::api {

class Live {
public:
    using TimePoint = std::chrono::steady_clock::time_point;
    // Must not wait. Returns false to hear no more.
    using Listener = std::function<bool(const store::Event&)>;
    // Whether the group is over; false: its time was.
    using Waiter = std::move_only_function<void(bool is_over)>;
    // Called once a second, on its thread, with the groups that somebody waits for or listens to. Whoever
    // looks at them tells what is over, and what has changed without news. Must not wait.
    using Look = std::function<void(const std::vector<GroupId>&)>;
    enum class Hears : std::uint8_t {
        events,  // each as it happened
        signs    // also that something has happened, if it was found out by looking
    };

    explicit Live(Look look = {});
    // Calls nobody any more. Those who waited are told that their time is over.
    ~Live();

    // Any thread: what the store's observer is given.
    void tell(std::span<const store::Event> events);

    // From the next event on. Nothing: of all groups. One that is no longer wanted is let go now and then.
    void listen(std::optional<GroupId> group, Listener listener, std::function<bool()> is_wanted,
                Hears hears = Hears::events);
    // For those who hear signs. Any thread.
    void tell_again(const store::Event& event);

    // Called once. Who asks for it looks at the group afterwards: it may have ended just before, and is then
    // to be told with tell_over().
    void when_over(GroupId group, TimePoint until, Waiter waiter);
    void tell_over(GroupId group);

private:
    struct Over {
        GroupId group{};
    };
    struct Waiting {
        GroupId group{};
        TimePoint until{};
        Waiter waiter{};
    };
    struct Listening {
        std::optional<GroupId> group{};
        Listener listener{};
        std::function<bool()> is_wanted{};
        Hears hears = Hears::events;
    };
    struct Sign {
        store::Event event{};
    };
    using News = std::variant<store::Event, Over, Sign, Waiting, Listening>;

    void run(std::stop_token stop);
    void handle(store::Event event);
    void handle(Over over);
    void handle(Sign sign);
    void handle(Waiting waiting);
    void handle(Listening listening);
    std::optional<TimePoint> next_end() const;
    void end_waiting();
    void look();

    const Look look_;
    std::atomic<int> interested_ = 0;  // so that nothing is posted while nobody listens
    Mailbox<News> news_;
    // Of the thread alone.
    std::multimap<GroupId, Waiting> waiting_;
    std::list<Listening> listening_;
    TimePoint looked_at_ = std::chrono::steady_clock::now();
    std::jthread thread_;
};

}  // namespace quarry::api
