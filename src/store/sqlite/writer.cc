#include "store/sqlite/writer.h"

#include <algorithm>
#include <chrono>
#include <string>

#include <pthread.h>

namespace quarry::store {

namespace {

// How much may wait. An outcome with its page weighs one, and pages are some ten kilobytes.
constexpr std::size_t queue_weight = 1'024;
// How much one transaction takes, so that nobody waits long for its end.
constexpr std::size_t batch_weight = 2'048;

// The log is moved into the database when it has grown to this, and when there is nothing else to do.
constexpr std::size_t checkpoint_pages = 4'000;
constexpr std::size_t idle_checkpoint_pages = 500;
// A reader that stays in its snapshot keeps the log from shrinking. At this length the writer waits for it,
// but only for a moment each time the log has grown again: those that ask in turns let go of it, a backup
// does not.
constexpr std::size_t too_many_pages = 100'000;
constexpr std::chrono::milliseconds patience{50};
// Nor is a log that is to be emptied tried at every commit.
constexpr std::chrono::milliseconds tidied_every{200};
constexpr std::chrono::milliseconds idle_after{200};

// A commit costs as much as several pages do: those that nobody waits for gather until there are some.
constexpr std::chrono::milliseconds gathering_time{4};
constexpr std::size_t gathered_weight = 64;

}  // namespace

Writer::Writer(db::Connection& connection, Book& book, bool full_sync)
    : connection_(connection), book_(book), full_sync_(full_sync), checkpoint_at_(checkpoint_pages) {
    connection_.watch_log(log_pages_);
    thread_ = std::thread([this] { run(); });
}

Writer::~Writer() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    filled_.notify_all();
    thread_.join();
}

void Writer::empty_log() {
    {
        std::lock_guard lock(mutex_);
        must_empty_log_ = true;
    }
    filled_.notify_one();
}

void Writer::submit(Command command) {
    {
        std::unique_lock lock(mutex_);
        emptied_.wait(lock, [&] { return queued_weight_ < queue_weight; });
        queued_weight_ += command.weight;
        if (command.mode != CommitMode::batched) ++immediate_waiting_;
        queue_.push_back(std::move(command));
    }
    filled_.notify_one();
}

std::vector<Command> Writer::next_batch() {
    std::unique_lock lock(mutex_);
    const auto has_work = [&] { return stopping_ || !queue_.empty(); };
    while (!filled_.wait_for(lock, idle_after, has_work)) {
        lock.unlock();
        if (log_pages_ > idle_checkpoint_pages) checkpoint();
        tidy_log();
        connection_.release_memory();
        lock.lock();
        filled_.wait(lock, [&] { return has_work() || must_empty_log_; });
    }
    filled_.wait_for(lock, gathering_time, [&] {
        return stopping_ || immediate_waiting_ > 0 || queued_weight_ >= gathered_weight;
    });
    std::vector<Command> batch;
    std::size_t weight = 0;
    while (!queue_.empty() && weight < batch_weight) {
        weight += queue_.front().weight;
        if (queue_.front().mode != CommitMode::batched) --immediate_waiting_;
        batch.push_back(std::move(queue_.front()));
        queue_.pop_front();
    }
    queued_weight_ -= weight;
    lock.unlock();
    emptied_.notify_all();
    return batch;
}

void Writer::run() {
    ::pthread_setname_np(::pthread_self(), "writer");
    while (true) {
        std::vector<Command> batch = next_batch();
        if (batch.empty()) return;
        commit(batch);
        if (log_pages_ < checkpoint_pages) checkpoint_at_ = checkpoint_pages;  // it began anew
        if (log_pages_ > checkpoint_at_) checkpoint();
        tidy_log();
    }
}

void Writer::commit(std::vector<Command>& batch) {
    const Result<void> committed = transact(batch);
    if (!committed && batch.size() > 1) return commit_one_by_one(batch);
    for (Command& command : batch) command.answer(committed);
}

// One of many has failed, or the disk has. Each is tried by itself, so that only the culprit fails; when two
// in a row find the disk unusable, the rest would too.
void Writer::commit_one_by_one(std::vector<Command>& batch) {
    int unusable = 0;
    Result<void> committed;
    for (Command& command : batch) {
        if (unusable < 2) committed = transact({&command, 1});
        const bool is_disk = !committed && committed.error().code == ErrorCode::unavailable;
        unusable = is_disk ? unusable + 1 : 0;
        command.answer(committed);
    }
}

Result<void> Writer::transact(std::span<Command> commands) {
    if (must_rebuild_) {
        TRY(book_.rebuild());
        must_rebuild_ = false;
    }
    Result<void> done = apply(commands);
    if (done) {
        book_.after_commit();
    } else {
        must_rebuild_ = true;
    }
    return done;
}

Result<void> Writer::apply(std::span<Command> commands) {
    TRY(set_sync(commands));
    db::Transaction transaction = TRY(db::Transaction::begin(connection_));
    for (Command& command : commands) TRY(command.apply());
    TRY(book_.before_commit());
    return transaction.commit();
}

Result<void> Writer::set_sync(std::span<const Command> commands) {
    const bool sync = full_sync_ && std::ranges::any_of(commands, [](const Command& command) {
                          return command.sync == Sync::before;
                      });
    if (syncs_now_ == sync) return {};
    TRY(connection_.execute(sync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL"));
    syncs_now_ = sync;
    return {};
}

void Writer::checkpoint() {
    // An error is no news: nothing is lost while the log is there, and the next commit tells of the disk.
    if (log_pages_ > too_many_pages) {
        (void)truncate_log(patience);
    } else {
        (void)connection_.checkpoint(false);
    }
    checkpoint_at_ = log_pages_ + checkpoint_pages;
}

// False if a reader is in the way for longer than that. Everybody waits meanwhile.
Result<bool> Writer::truncate_log(std::chrono::milliseconds wait) {
    TRY(connection_.execute("PRAGMA busy_timeout = " + std::to_string(wait.count())));
    auto truncated = connection_.checkpoint(true);
    TRY(connection_.execute("PRAGMA busy_timeout = 5000"));
    return truncated;
}

void Writer::tidy_log() {
    if (std::chrono::steady_clock::now() < tidy_at_ || !must_empty_log_.exchange(false)) return;
    const auto emptied = truncate_log({});
    if (emptied && *emptied) return;
    must_empty_log_ = true;
    tidy_at_ = std::chrono::steady_clock::now() + tidied_every;
}

}  // namespace quarry::store
