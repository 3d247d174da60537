#include "browser/pool.h"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include "base/threads.h"

namespace quarry::browser {
namespace {

using Clock = std::chrono::steady_clock;

// If the machine lacks memory or a thread for a page, only that page fails.
std::unexpected<Error> short_of(const std::exception& failure) {
    return fail(ErrorCode::unavailable,
                fmt::format("the machine is short of memory or threads: {}", failure.what()));
}

RenderOutcome render_in_peace(Instance& instance, const Lane& lane, const RenderRequest& request) {
    try {
        return render(instance, lane, request);
    } catch (const std::exception& failure) {
        return {.result = short_of(failure), .health = Health::stuck};
    }
}

ChromiumConfig with_lanes(ChromiumConfig config, int pages) {
    config.listeners = pages;
    return config;
}

}  // namespace

Pool::Pool(PoolConfig config) : config_(std::move(config)) {
    idler_ = std::jthread([this](const std::stop_token& stop) { end_idle(stop); });
}

Pool::~Pool() {
    idler_.request_stop();
    std::unique_lock lock(mutex_);
    is_closing_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return callers_ == 0; });
}

// A thread inside render() counts as a caller until the last line of render(). The destructor waits for all
// callers, including those between two attempts and those that wait for room.
class Pool::Call {
public:
    explicit Call(Pool& pool) : pool_(pool) {
        const std::lock_guard lock(pool_.mutex_);
        ++pool_.callers_;
    }
    // The destructor is told under the lock: once the lock is released, the pool may be gone.
    ~Call() {
        const std::lock_guard lock(pool_.mutex_);
        --pool_.callers_;
        pool_.changed_.notify_all();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

private:
    Pool& pool_;
};

Result<Rendered> Pool::render(const RenderRequest& request) {
    const Call call(*this);
    for (int attempt = 1;; ++attempt) {
        PageSlot seat = TRY(acquire_slot(request.stop));
        RenderOutcome outcome = render_in_peace(*seat.resident->instance, seat.lane, request);
        const bool is_browsers_fault = outcome.health == Health::stuck && !outcome.result &&
                                       outcome.result.error().code == ErrorCode::unavailable;
        const bool failed = !outcome.result;
        leave(std::move(seat), outcome.health);
        if (is_browsers_fault && attempt == 1) continue;
        {
            const std::lock_guard lock(mutex_);
            ++tally_.rendered;
            tally_.failed += failed;
        }
        return std::move(outcome.result);
    }
}

// Starting a browser takes half a second: callers that come meanwhile wait for the same browser.
Result<Pool::PageSlot> Pool::acquire_slot(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    for (;;) {
        const bool may_go = changed_.wait(lock, stop, [this] {
            return is_closing_ || (!is_starting_ && under_way_ < config_.pages_at_once &&
                                   (!current_ || current_->instance->lanes().has_free()));
        });
        if (!may_go || is_closing_) return fail(ErrorCode::interrupted, "interrupted");
        if (current_) break;
        is_starting_ = true;
        lock.unlock();
        auto started = start_in_peace();
        lock.lock();
        is_starting_ = false;
        changed_.notify_all();
        if (!started) return std::unexpected(started.error());
        ++tally_.started;
        current_ = std::make_shared<BrowserInstance>(
            BrowserInstance{.instance = *std::move(started), .since = Clock::now()});
    }
    PageSlot seat{.resident = current_, .lane = current_->instance->lanes().take()};
    ++current_->pages;
    ++under_way_;
    return seat;
}

// Called by one thread at a time.
Result<std::unique_ptr<Instance>> Pool::start_in_peace() {
    try {
        return start();
    } catch (const std::exception& failure) {
        return short_of(failure);
    }
}

Result<std::unique_ptr<Instance>> Pool::start() {
    if (!config_.remote) return Instance::start(with_lanes(config_.chromium, config_.pages_at_once));
    if (!remote_lanes_) {
        auto lanes = std::make_shared<Lanes>();
        TRY(lanes->listen({.host = config_.remote->gate_host,
                           .first_port = config_.remote->gate_port,
                           .lanes = config_.pages_at_once}));
        remote_lanes_ = std::move(lanes);
    }
    return Instance::connect(*config_.remote, remote_lanes_);
}

bool Pool::is_worn(const BrowserInstance& resident) const {
    return resident.pages >= config_.pages_per_browser || Clock::now() - resident.since >= config_.age;
}

void Pool::leave(PageSlot seat, Health health) {
    // Outside the lock, since reading the memory of processes takes a while, and so does ending them.
    const bool is_large = seat.resident->instance->memory() > config_.memory_bytes;
    std::shared_ptr<BrowserInstance> ended;
    {
        const std::lock_guard lock(mutex_);
        const bool is_done = health == Health::stuck || is_large || is_worn(*seat.resident);
        seat.resident->instance->lanes().give_back(std::move(seat.lane));
        if (is_done && current_ == seat.resident) {
            tally_.ended_stuck += health == Health::stuck;
            ended = std::move(current_);
        }
        last_use_ = Clock::now();
    }
    seat.resident.reset();
    ended.reset();
    const std::lock_guard lock(mutex_);
    --under_way_;
    changed_.notify_all();
}

void Pool::end_idle(const std::stop_token& stop) {
    name_this_thread("browser idle");
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        const bool is_idle = current_ && under_way_ == 0;
        const auto due = is_idle ? last_use_ + config_.idle : Clock::now() + config_.idle;
        if (is_idle && Clock::now() >= due) {
            auto ended = std::move(current_);
            lock.unlock();
            ended.reset();
            lock.lock();
            continue;
        }
        changed_.wait_until(lock, stop, due, [] { return false; });
    }
}

PoolTally Pool::tally() {
    const std::lock_guard lock(mutex_);
    PoolTally tally = tally_;
    if (current_) {
        tally.processes = current_->instance->count_processes();
        tally.memory = current_->instance->memory();
    }
    return tally;
}

}  // namespace quarry::browser
