#include "store/postgres/notifier.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <random>

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/threads.h"
#include "db/postgres/connection.h"
#include "store/events.h"

namespace quarry::store::postgres {

namespace {

using namespace std::chrono_literals;

constexpr auto between_messages = 20ms;
constexpr auto retry_every = 1000ms;
constexpr std::size_t most_events = 64;
constexpr std::size_t most_bytes = 6'500;  // of events; PostgreSQL takes 8,000 in all
constexpr std::size_t most_kinds = 10;

constexpr db::PgStatement notify_sql{"notify", "select pg_notify('quarry_changed', $1)"};

std::string random_name() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}", random(), random());
}

// The next number of a line; nothing if there is none.
std::optional<std::int64_t> take_number(std::string_view& line) {
    std::int64_t value = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), value);
    if (read.ec != std::errc() || read.ptr == line.data() + line.size() || *read.ptr != ' ')
        return std::nullopt;
    line.remove_prefix(static_cast<std::size_t>(read.ptr - line.data()) + 1);
    return value;
}

std::optional<Event> event_from(std::string_view line) {
    const auto what = take_number(line);
    const auto group = take_number(line);
    const auto id = take_number(line);
    const auto status = take_number(line);
    const auto state = take_number(line);
    if (!what || !group || !id || !status || !state) return std::nullopt;
    if (*what < 0 || *what > static_cast<int>(Event::What::worker_died)) return std::nullopt;
    if (*state < 0 || *state > static_cast<int>(JobState::paused)) return std::nullopt;
    Event event{.what = static_cast<Event::What>(*what),
                .id = JobId(*id),
                .url = std::string(line),
                .status = static_cast<int>(*status),
                .state = static_cast<JobState>(*state)};
    if (*group != 0) event.group = GroupId(*group);
    return event;
}

}  // namespace

std::string events_to_text(std::span<const Event> events) {
    std::string text;
    for (const Event& event : events) {
        text += fmt::format("{} {} {} {} {} {}\n", static_cast<int>(event.what),
                            event.group ? number(*event.group) : 0, number(event.id), event.status,
                            static_cast<int>(event.state), event.url);
    }
    return text.size() <= most_bytes ? text : std::string();
}

std::string gathered_to_text(const std::vector<Event>& events) {
    const std::string text = events.size() > most_events ? "" : events_to_text(events);
    return text.empty() && !events.empty() ? events_to_text(gathered(events, most_events)) : text;
}

std::vector<Event> events_from_text(std::string_view text) {
    std::vector<Event> events;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (auto event = event_from(text.substr(0, end))) events.push_back(*std::move(event));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return events;
}

std::string jobs_to_text(const PutInLine& jobs) {
    if (jobs.is_anywhere || jobs.kinds.size() > most_kinds) return "anywhere ";
    std::string text;
    for (const auto& [kind, heads] : jobs.kinds) {
        text += fmt::format("{} {} {} {} {} ", kind, heads.next.priority, heads.next.turn, heads.next.id,
                            heads.oldest);
    }
    return text;
}

PutInLine jobs_from_text(std::string_view text) {
    PutInLine jobs;
    while (!text.empty()) {
        const auto kind = take_number(text);
        const auto priority = take_number(text);
        const auto turn = take_number(text);
        const auto id = take_number(text);
        const auto oldest = take_number(text);
        if (!kind || !priority || !turn || !id || !oldest) return {.is_anywhere = true};
        jobs.add(*kind, {{*priority, *turn, *id}, *oldest});
    }
    return jobs;
}

Notifier::Notifier(db::PgConfig config, Heard heard)
    : config_(std::move(config)),
      heard_(std::move(heard)),
      name_(random_name()),
      wake_(eventfd(0, EFD_CLOEXEC)),
      listener_([this] { listen(); }),
      speaker_([this] { speak(); }) {}

Notifier::~Notifier() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    const std::uint64_t one = 1;
    (void)!write(wake_, &one, sizeof one);
    listener_.join();
    speaker_.join();
    close(wake_);
}

void Notifier::tell(std::span<const Event> events, const PutInLine& jobs) {
    {
        const std::lock_guard lock(mutex_);
        has_news_ = true;
        jobs_.add(jobs);
        events_.insert(events_.end(), events.begin(), events.end());
        if (events_.size() > 10 * most_events) events_ = gathered(events_, most_events);
    }
    changed_.notify_one();
}

std::string Notifier::next_message() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return has_news_ || stopping_; });
    if (!has_news_) return {};
    has_news_ = false;
    const std::string text = gathered_to_text(events_);
    events_.clear();
    return fmt::format("{} {}\n{}", name_, jobs_to_text(std::exchange(jobs_, {})), text);
}

void Notifier::speak() {
    name_this_thread("pg-speaker");
    std::optional<db::PgConnection> connection;
    while (true) {
        const std::string message = next_message();
        if (message.empty()) return;
        if (!connection || !connection->is_open()) {
            connection.reset();
            if (auto opened = db::PgConnection::open(config_)) connection.emplace(*std::move(opened));
        }
        // Nobody hears it: they poll.
        if (connection) (void)connection->run(notify_sql, db::PgValues(message));
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, between_messages, [&] { return stopping_; });
    }
}

void Notifier::listen() {
    name_this_thread("pg-listener");
    std::optional<db::PgListener> listener;
    auto retry_at = std::chrono::steady_clock::now();
    bool was_lost = false;
    while (true) {
        {
            std::unique_lock lock(mutex_);
            if (stopping_) return;
            // A database that is away is tried again once a second.
            if (!listener && retry_at > std::chrono::steady_clock::now())
                changed_.wait_until(lock, retry_at, [&] { return stopping_; });
            if (stopping_) return;
        }
        if (!listener) {
            if (auto opened = db::PgListener::open(config_, "quarry_changed"))
                listener.emplace(*std::move(opened));
            if (was_lost) heard_({}, {.is_anywhere = true});  // whatever was said meanwhile
            was_lost = !listener;
            retry_at = std::chrono::steady_clock::now() + retry_every;
            continue;
        }
        auto heard = listener->wait(retry_every, wake_);
        if (!heard) {
            listener.reset();
            was_lost = true;
            continue;
        }
        for (const db::PgNotification& notification : *heard) hear(notification.payload);
    }
}

// Who speaks, and what they put in line; then events.
void Notifier::hear(std::string_view message) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    const std::string_view line = message.substr(0, end);
    const std::size_t space = std::min(line.find(' '), line.size());
    if (line.substr(0, space) == name_) return;
    heard_(events_from_text(message.substr(std::min(end + 1, message.size()))),
           jobs_from_text(line.substr(std::min(space + 1, line.size()))));
}

}  // namespace quarry::store::postgres
