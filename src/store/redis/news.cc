#include "store/redis/news.h"

#include <random>

#include <boost/json.hpp>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/threads.h"
#include "store/events.h"
#include "store/records.h"

namespace quarry::store::redis {

namespace {

using namespace std::chrono_literals;

constexpr auto between_messages = 20ms;
constexpr auto poll_interval = 1'000ms;
constexpr std::size_t most_events = 100;
constexpr std::size_t most_bytes = 1u << 20;

std::int64_t random_number() {
    std::random_device random;
    return static_cast<std::int64_t>((std::uint64_t{random()} << 31 | random()) >> 1);
}

}  // namespace

std::vector<Event> events_of_message(std::string_view message, std::int64_t self) {
    std::vector<Event> events;
    if (message.size() > most_bytes) return events;
    boost::system::error_code error;
    const boost::json::value json = boost::json::parse(message, error);
    const boost::json::object* object = error ? nullptr : json.if_object();
    if (!object) return events;
    const boost::json::value* from = object->if_contains("from");
    if (from && from->is_int64() && from->get_int64() == self) return events;
    const boost::json::value* list = object->if_contains("events");
    if (!list || !list->is_array()) return events;
    for (const boost::json::value& entry : list->get_array()) {
        if (auto event = parse_event(entry); event && events.size() < most_events)
            events.push_back(*std::move(event));
    }
    return events;
}

News::News(db::RedisConfig config, std::string channel)
    : config_(std::move(config)),
      channel_(std::move(channel)),
      self_(random_number()),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this, listener = db::RedisListener::open(config_, channel_)](std::stop_token stop) mutable {
          run(std::move(listener), std::move(stop));
      }) {}

News::~News() {
    thread_.request_stop();
    eventfd_write(wake_, 1);
    thread_.join();
    close(wake_);
}

void News::tell(std::span<const Event> events, bool wakes) {
    if (wakes) changed_.raise();
    tell_observers(events);
    if (!wakes && events.empty()) return;
    outgoing_.with([&](Outgoing& outgoing) {
        outgoing.wakes = outgoing.wakes || wakes;
        outgoing.events.insert(outgoing.events.end(), events.begin(), events.end());
        if (outgoing.events.size() > 10 * most_events)
            outgoing.events = gathered(outgoing.events, most_events);
    });
    eventfd_write(wake_, 1);
}

void News::tell_observers(std::span<const Event> events) {
    if (events.empty()) return;
    observers_.tell(events);
}

std::uint64_t News::wait(std::uint64_t seen, std::chrono::milliseconds at_most, std::stop_token stop) {
    return changed_.wait(seen, std::min<std::chrono::milliseconds>(at_most, poll_interval), std::move(stop));
}

std::shared_ptr<void> News::observe(Store::Observer observer) {
    return observers_.add(std::move(observer));
}

void News::run(Result<db::RedisListener> listener, std::stop_token stop) {
    name_this_thread("redis news");
    auto pause = 25ms;
    while (!stop.stop_requested()) {
        const auto began = std::chrono::steady_clock::now();
        if (listener) listen(*listener, stop);
        if (std::chrono::steady_clock::now() - began > 5s) pause = 25ms;
        if (!pause_for(pause, stop)) return;
        pause = std::min(pause * 2, 1'000ms);
        listener = db::RedisListener::open(config_, channel_);
        changed_.raise();  // what was told meanwhile was missed
    }
}

// Until the connection is lost.
void News::listen(db::RedisListener& listener, std::stop_token stop) {
    while (!stop.stop_requested()) {
        const auto since = std::chrono::steady_clock::now() - last_spoken_;
        const bool has_news = outgoing_.with(
            [](const Outgoing& outgoing) { return outgoing.wakes || !outgoing.events.empty(); });
        if (has_news && since >= between_messages) publish_what_waits();
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(between_messages - since);
        // While something waits to be told, more of it need not wake anybody.
        const bool waits = has_news && since < between_messages;
        const auto messages = listener.wait(waits ? left : poll_interval, waits ? -1 : wake_);
        if (!messages) return;
        eventfd_t ignored = 0;
        if (!waits) eventfd_read(wake_, &ignored);
        for (const std::string& message : *messages) hear(message);
    }
}

void News::hear(const std::string& message) {
    changed_.raise();
    tell_observers(events_of_message(message, self_));
}

std::string News::message_of(Outgoing outgoing) const {
    const auto written = [this](const std::vector<Event>& events) {
        boost::json::array list;
        for (const Event& event : events) list.push_back(record_of(event));
        return boost::json::serialize(boost::json::object{{"from", self_}, {"events", std::move(list)}});
    };
    std::string message;
    if (outgoing.events.size() <= most_events) message = written(outgoing.events);
    const bool fits = !message.empty() && message.size() <= most_bytes;
    return fits ? message : written(gathered(outgoing.events, most_events));
}

void News::publish_what_waits() {
    Outgoing outgoing = outgoing_.with([](Outgoing& waiting) { return std::exchange(waiting, {}); });
    last_spoken_ = std::chrono::steady_clock::now();
    if (!speaker_ || !speaker_->is_open()) {
        auto opened = db::RedisConnection::open(config_);
        if (!opened) return;  // who listens polls as well
        speaker_ = std::make_unique<db::RedisConnection>(*std::move(opened));
    }
    (void)speaker_->run({"PUBLISH", channel_, message_of(std::move(outgoing))});
}

}  // namespace quarry::store::redis
