// Tells clients that wait for or follow a crawl what happens to it. The store tells the notifier what has
// happened, and the notifier calls its listeners on its own thread.
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
    // Must not wait. Returns false to end listening.
    using Listener = std::function<bool(const store::Event&)>;
    // `is_over`: the group is over; false: the time to wait for it is.
    using Waiter = std::move_only_function<void(bool is_over)>;
    // Called once a second, on the notifier's thread, with the groups that a client waits for or follows. The
    // function checks them, and calls tell_over() and tell_again() for what it finds. Must not wait.
    using Look = std::function<void(const std::vector<GroupId>&)>;
    enum class Hears : std::uint8_t {
        events,  // each as it happened
        signs    // also changes that only a look found
    };

    explicit Live(Look look = {});
    // Ends all listening. Waiters are told that their time is over.
    ~Live();

    // Any thread: what the store's observer is given.
    void tell(std::span<const store::Event> events);

    // Listens from the next event on; without a group, to all groups. A listener that is no longer wanted is
    // removed some time later.
    void listen(std::optional<GroupId> group, Listener listener, std::function<bool()> is_wanted,
                Hears hears = Hears::events);
    // For listeners that hear signs. Any thread.
    void tell_again(const store::Event& event);

    // The waiter is called once. The caller has to check the group afterwards: it may have ended just before,
    // and the caller then calls tell_over().
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
    // These belong to the notifier's thread alone.
    std::multimap<GroupId, Waiting> waiting_;
    std::list<Listening> listening_;
    TimePoint looked_at_ = std::chrono::steady_clock::now();
    std::jthread thread_;
};

}  // namespace quarry::api
