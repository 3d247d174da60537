#include "engine/store_threads.h"

#include "base/threads.h"

namespace quarry::work {

namespace {

constexpr std::uint64_t never_seen = ~0ull;
constexpr std::chrono::hours long_time{1};

// True if there is room for a kind of work that had no room before. The store may have such work already, and
// reports it only when asked.
bool opens_up(const store::Demand& before, const store::Demand& now) {
    return (before.changes == 0 && now.changes > 0) || (before.urls == 0 && now.urls > 0) ||
           before.urls_per_host < now.urls_per_host || before.kinds.size() < now.kinds.size();
}

}  // namespace

Leaser::Leaser(store::Store& store, std::shared_ptr<EngineMailbox> mailbox)
    : store_(store), mailbox_(std::move(mailbox)), thread_([this](std::stop_token stop) { run(stop); }) {}

std::uint64_t Leaser::ask(store::Demand demand) {
    std::uint64_t number = 0;
    {
        std::lock_guard lock(mutex_);
        const bool is_wider = question_ && opens_up(question_->demand, demand);
        number = ++questions_;
        question_ = Question{std::move(demand), number};
        if (is_wider) {
            urgent_ = number;
            interruption_.request_stop();
        }
    }
    asked_.notify_one();
    return number;
}

std::uint64_t Leaser::ask_now(store::Demand demand) {
    const std::uint64_t number = ask(std::move(demand));
    std::lock_guard lock(mutex_);
    urgent_ = number;
    interruption_.request_stop();
    return number;
}

void Leaser::withdraw() {
    std::lock_guard lock(mutex_);
    question_.reset();
}

void Leaser::stop() {
    thread_.request_stop();
    {
        std::lock_guard lock(mutex_);
        interruption_.request_stop();
    }
    if (thread_.joinable()) thread_.join();
}

std::optional<Leaser::Question> Leaser::next_question(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    asked_.wait(lock, stop, [&] { return question_.has_value(); });
    return stop.stop_requested() ? std::nullopt : question_;
}

void Leaser::wait(std::uint64_t seen, Timestamp until, std::uint64_t answered) {
    std::stop_token interrupted;
    {
        std::lock_guard lock(mutex_);
        if (urgent_ > answered || thread_.get_stop_token().stop_requested()) return;
        interruption_ = std::stop_source();
        interrupted = interruption_.get_token();
    }
    store_.wait_for_change(seen, until, interrupted);
}

void Leaser::run(std::stop_token stop) {
    name_this_thread("leaser");
    while (const auto question = next_question(stop)) {
        // Taken before the question, so that a change between the two is not missed.
        const std::uint64_t seen = store_.wait_for_change(never_seen, store_.now(), stop);
        auto leased = store_.lease(question->demand);
        if (!leased) {
            mailbox_->post(StoreFailed{leased.error()});
            return;
        }
        if (!leased->jobs.empty() || !leased->urls.empty() || !leased->changes.empty()) {
            withdraw();
            mailbox_->post(LeasesArrived{*std::move(leased)});
            continue;
        }
        mailbox_->post(NothingDue{leased->next_due, question->number});
        wait(seen, leased->next_due.value_or(store_.now() + long_time), question->number);
    }
}

StoreTasks::StoreTasks(std::unique_ptr<store::Reader> reader, std::function<void()> done)
    : reader_(std::move(reader)), done_(std::move(done)), thread_([this] { serve(); }) {}

void StoreTasks::serve() {
    name_this_thread("errands");
    while (auto task = queue_.pop()) {
        (*task)(*reader_);
        --open_;
        done_();
    }
}

StoreTasks::~StoreTasks() {
    finish();
}

void StoreTasks::finish() {
    is_finishing_ = true;
    queue_.close();
    if (thread_.joinable()) thread_.join();
}

}  // namespace quarry::work
