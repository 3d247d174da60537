#include "api/reader_pool.h"

#include <algorithm>
#include <exception>

#include "base/threads.h"

namespace quarry::api {

Result<std::unique_ptr<ReaderPool>> ReaderPool::open(ReaderPoolConfig config, const OpenReader& open_reader) {
    std::vector<std::unique_ptr<store::Reader>> readers;
    for (int i = 0; i < config.count; ++i) readers.push_back(TRY(open_reader()));
    return std::unique_ptr<ReaderPool>(new ReaderPool(config, std::move(readers)));
}

ReaderPool::ReaderPool(ReaderPoolConfig config, std::vector<std::unique_ptr<store::Reader>> readers)
    : config_(config), readers_(std::move(readers)) {
    for (const auto& reader : readers_) threads_.emplace_back([this, &reader] { run(*reader); });
}

void ReaderPool::close() {
    {
        const std::lock_guard lock(mutex_);
        is_closed_ = true;
    }
    changed_.notify_all();
    threads_.clear();
}

bool ReaderPool::post(const std::string& owner, Work work) {
    {
        const std::lock_guard lock(mutex_);
        Line& line = lines_[owner];
        // When the pool is full, an owner with less work waiting than its fair part may still post.
        const std::size_t fair = most_waiting / (turns_.size() + 1);
        const bool is_full = waiting_ >= most_waiting && line.errands.size() >= fair;
        if (is_closed_ || is_full || line.errands.size() >= most_waiting_of_owner) {
            if (line.errands.empty() && line.running == 0) lines_.erase(owner);
            return false;
        }
        line.errands.push_back(std::move(work));
        try {
            if (line.errands.size() == 1) turns_.push_back(owner);
        } catch (const std::exception&) {
            line.errands.pop_back();
            throw;
        }
        ++waiting_;
    }
    changed_.notify_one();
    return true;
}

std::deque<std::string>::iterator ReaderPool::next_turn() {
    return std::ranges::find_if(
        turns_, [this](const std::string& owner) { return lines_[owner].running < config_.most_of_owner; });
}

void ReaderPool::run(store::Reader& reader) {
    name_this_thread("api desk");
    std::unique_lock lock(mutex_);
    while (true) {
        auto turn = turns_.end();
        changed_.wait(lock,
                      [&] { return (turn = next_turn()) != turns_.end() || (is_closed_ && waiting_ == 0); });
        if (turn == turns_.end()) return;
        const std::string owner = std::move(*turn);
        turns_.erase(turn);
        Line& line = lines_[owner];
        Work work = std::move(line.errands.front());
        line.errands.pop_front();
        ++line.running;
        --waiting_;
        if (!line.errands.empty()) turns_.push_back(owner);
        lock.unlock();
        try {
            work(reader);
        } catch (const std::exception&) {
            // Only this request is lost.
        }
        work = nullptr;
        lock.lock();
        const bool had_all = line.running == config_.most_of_owner;
        if (--line.running == 0 && line.errands.empty()) lines_.erase(owner);
        if (had_all) changed_.notify_all();  // others wait for this owner's turn
    }
}

}  // namespace quarry::api
