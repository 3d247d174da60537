#include "base/queues.h"

#include <atomic>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "base/clock.h"
#include "base/observers.h"

using namespace quarry;

TEST_CASE("a mailbox hands over everything that has arrived, in order") {
    Mailbox<int> mailbox;
    mailbox.post(1);
    mailbox.post(2);
    std::vector<int> messages{9};

    mailbox.take(messages, std::nullopt);
    CHECK(messages == std::vector{1, 2});

    mailbox.take(messages, std::chrono::steady_clock::now());
    CHECK(messages.empty());
}

TEST_CASE("a message wakes whoever waits for one") {
    Mailbox<int> mailbox;
    std::jthread sender([&] { mailbox.post(7); });
    std::vector<int> messages;

    mailbox.take(messages, std::nullopt);

    CHECK(messages == std::vector{7});
}

TEST_CASE("a stop request ends the wait for a message") {
    Mailbox<int> mailbox;
    std::stop_source stop;
    std::jthread stopper([&] { stop.request_stop(); });
    std::vector<int> messages;

    mailbox.take(messages, std::nullopt, stop.get_token());

    CHECK(messages.empty());
}

TEST_CASE("every value of a work queue goes to one of its readers") {
    WorkQueue<int> queue;
    std::atomic<int> sum = 0;
    {
        std::vector<std::jthread> readers;
        for (int i = 0; i < 4; ++i) {
            readers.emplace_back([&] {
                while (const auto value = queue.pop()) sum += *value;
            });
        }
        for (int value = 1; value <= 1'000; ++value) queue.push(value);
        queue.close();
    }
    CHECK(sum == 500'500);
}

TEST_CASE("a closed work queue still gives what is in it") {
    WorkQueue<int> queue;
    queue.push(1);
    queue.close();

    CHECK(queue.pop() == 1);
    CHECK_FALSE(queue.pop());
}

TEST_CASE("the wall clock of a process never runs backwards") {
    const WallClock clock;
    Timestamp last = clock.now();
    for (int i = 0; i < 1'000; ++i) {
        const Timestamp now = clock.now();
        CHECK(now >= last);
        last = now;
    }
}

TEST_CASE("the clock of a process follows the wall clock forwards, and never backwards") {
    using namespace std::chrono_literals;
    const WallClock clock;
    const Timestamp noon{1'000'000s};
    struct Row {
        const char* what;
        Timestamp wall;
        std::chrono::milliseconds steady;
        Timestamp shown;
    };
    const Row rows[] = {
        {"the start", noon, 50s, noon},
        {"a second later", noon + 1s, 51s, noon + 1s},
        {"after a suspend, which the steady clock slept through", noon + 8h, 52s, noon + 8h},
        {"set back by an hour: time goes on", noon + 7h, 53s, noon + 8h + 1s},
        {"still behind", noon + 7h + 1s, 54s, noon + 8h + 2s},
        {"set forward again", noon + 9h, 55s, noon + 9h},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        CHECK(clock.at(row.wall, row.steady) == row.shown);
    }
}

TEST_CASE("an observer hears until its token is gone") {
    Observers<int> observers;
    int heard = 0;
    auto first = observers.add([&](int value) { heard += value; });
    observers.tell(1);
    const auto second = observers.add([&](int value) { heard += 10 * value; });
    observers.tell(2);

    first.reset();
    observers.tell(3);

    CHECK(heard == 1 + 2 + 20 + 30);
}

TEST_CASE("letting an observer's token go waits for the call under way") {
    Observers<> observers;
    std::atomic<bool> is_called = false, may_end = false, has_ended = false;
    auto token = observers.add([&] {
        is_called = true;
        is_called.notify_all();
        may_end.wait(false);
        has_ended = true;
    });
    std::jthread teller([&] { observers.tell(); });
    is_called.wait(false);
    std::jthread ender([&] {
        may_end = true;
        may_end.notify_all();
    });

    token.reset();

    CHECK(has_ended);
}

TEST_CASE("an observer may let its own token go, and a token may outlive what it observes") {
    std::shared_ptr<void> token, other;
    int heard = 0;
    {
        Observers<> observers;
        token = observers.add([&] {
            ++heard;
            token.reset();
        });
        other = observers.add([] {});
        observers.tell();
        observers.tell();
    }
    CHECK(heard == 1);
}
